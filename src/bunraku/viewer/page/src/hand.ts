// The mouse (or finger) on the stage: a click on a link pins it, a click on a pin releases it, a pull drags the link along.
//
// The target moves in the plane of the view through the point that was grasped; with Shift in the level plane, with Alt or Ctrl up and down. It is known
// here at once; the server hears of it at most once a display frame. Whatever takes the pointer away ends the drag.
import { Matrix4, Plane, Raycaster, Vector2, Vector3 } from "three";
import type { Camera } from "./camera";
import { poseOf } from "./shapes";
import type { Live } from "./live";
import type { Show } from "./show";
import type { Stage } from "./stage";
import type { Frame, StageMessage, Vec3 } from "./types";

const STILL = 4; // px that a click may move
const REACH = 14; // px around a pin that count as it
const FARTHEST = 2; // sizes of the figure that a target may be away from it
const GRAZING = 0.06; // sine of the angle to a plane below which a ray does not meet it usefully

type Plan = "view" | "level" | "upright";
interface Grasp {
  pointer: number;
  x: number;
  y: number;
  pin: string | null; // a pin that is clicked
  body: number;
  point: Vec3; // body's frame
  at: Vector3; // world
}

export class Hand {
  pose = false; // whether the orientation is held, too
  axes = ""; // along which a pin holds; "": a point, all of it
  own = false; // in the link's axes
  target: Vector3 | null = null; // of one's own drag
  private grasp: Grasp | null = null;
  private beside: [number, number] | null = null; // where the button went down beside the figure, px
  private granted = false;
  private plan: Plan = "view";
  private readonly offset = new Vector3();
  private unsent = false;
  private readonly ray = new Raycaster();

  constructor(
    private readonly stage: Stage,
    private readonly camera: Camera,
    private readonly show: () => Show | null,
    private readonly live: () => Live | null,
    private readonly onPast: () => void, // somebody takes hold of a figure of the past
  ) {
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", () => this.end());
    canvas.addEventListener("lostpointercapture", () => this.end());
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    window.addEventListener("blur", () => this.end());
    document.addEventListener("visibilitychange", () => document.hidden && this.end());
    window.addEventListener("keydown", (event) => event.key === "Escape" && this.end());
  }

  get dragging(): boolean {
    return this.target !== null;
  }

  /** The stage as the server has it: a drag that it did not grant, or took away, ends here. */
  heard(message: StageMessage, me: number): void {
    if (!this.dragging) return;
    if (message.holder === me) this.granted = true;
    else if (this.granted || message.holder !== 0) this.end();
  }

  /** Once a display frame: what has not been sent yet; a lost connection ends the drag. */
  tick(): void {
    if (this.grasp && !this.live()?.connected) this.end();
    if (this.unsent && this.target) {
      this.unsent = false;
      this.live()?.send({ type: "to", position: this.target.toArray() });
    }
  }

  /** Let go. */
  end(): void {
    if (this.dragging) {
      this.sendLast();
      this.live()?.send({ type: "drop" });
    }
    this.grasp = this.target = null;
    this.granted = this.unsent = false;
    this.camera.controls.enabled = true;
    this.camera.held = false;
    this.show()?.bodies.light(-1);
    this.stage.touch();
  }

  private sendLast(): void {
    if (this.unsent && this.target && this.live()?.connected) this.live()?.send({ type: "to", position: this.target.toArray() });
    this.unsent = false;
  }

  private aim(event: PointerEvent): void {
    const { left, top, width, height } = this.stage.canvas.getBoundingClientRect();
    const seen = new Vector2((2 * (event.clientX - left)) / width - 1, 1 - (2 * (event.clientY - top)) / height);
    this.ray.setFromCamera(seen, this.stage.camera);
  }

  /** The present of a stage that can be acted upon: its frame and its figure's name. */
  present(): { frame: Frame; figure: string } | null {
    const live = this.live();
    const figure = this.show()?.scene.stage?.figure;
    if (!live?.connected || figure === undefined || live.index !== live.frames.length - 1) return null;
    return { frame: live.frames[live.index]!, figure };
  }

  /** Whether this is a stage whose past is looked at. */
  get inThePast(): boolean {
    const live = this.live();
    return Boolean(live?.connected && this.show()?.scene.stage && live.index >= 0 && live.index !== live.frames.length - 1);
  }

  /** The pin under the pointer, else the body of the figure there. */
  under(event: PointerEvent): Omit<Grasp, "pointer" | "x" | "y"> | null {
    const show = this.show();
    const now = this.present();
    if (!show || !now) return null;
    const { left, top, width, height } = this.stage.canvas.getBoundingClientRect();
    let [best, nearest] = ["", REACH];
    for (const item of this.live()?.stage?.items ?? []) {
      const at = show.pins.targets.get(item.name);
      if (item.kind !== "pin" || !at) continue;
      const seen = at.clone().project(this.stage.camera);
      const away = Math.hypot((0.5 + 0.5 * seen.x) * width + left - event.clientX, (0.5 - 0.5 * seen.y) * height + top - event.clientY);
      if (away < nearest) [best, nearest] = [item.name, away];
    }
    if (best) return { pin: best, body: -1, point: [0, 0, 0], at: new Vector3() };
    this.aim(event);
    const hit = show.bodies.hit(this.ray);
    if (!hit || !this.mayTake(hit.body)) return null;
    const inverse = poseOf(now.frame.poses, hit.body, new Matrix4()).invert();
    return { pin: null, body: hit.body, point: hit.point.clone().applyMatrix4(inverse).toArray(), at: hit.point };
  }

  /** Whether a body is of somebody, or something, on stage. */
  mayTake(body: number): boolean {
    const { stage, bodies } = this.show()!.scene;
    const { figure } = bodies[body] ?? {};
    return stage !== undefined && figure != null && (stage.actors ?? [stage.figure]).includes(figure);
  }

  /** A hand takes hold of what is near, or lets go: the one that is dragged, else a point of a body. Whether there is one. */
  grip(at: { body: number; point: Vec3 } | null): boolean {
    if (!this.present() || (this.show()?.scene.stage?.actors?.length ?? 1) < 2) return false;
    if (this.dragging) this.live()?.send({ type: "grip" });
    else if (at && this.mayTake(at.body)) this.live()?.send({ type: "grip", link: this.link(at.body), point: at.point });
    else return false;
    return true;
  }

  /** What was dragged is dropped on somebody else, or on a thing: a hand takes hold of it. */
  private dropOn(event: PointerEvent, dragged: number): void {
    const show = this.show();
    const own = show?.scene.bodies[dragged]?.figure;
    this.aim(event);
    const hit = show?.bodies.hit(this.ray, (body) => show.scene.bodies[body]?.figure !== own && this.mayTake(body));
    if (!hit) return;
    this.sendLast();
    this.live()?.send({ type: "grip", other: this.link(hit.body) });
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0 || !event.isPrimary || this.grasp) return;
    if (this.inThePast) {
      this.aim(event);
      if (this.show()?.bodies.hit(this.ray)) this.onPast();
    }
    const found = this.under(event);
    this.beside = found ? null : [event.clientX, event.clientY];
    if (!found) return;
    this.grasp = { ...found, pointer: event.pointerId, x: event.clientX, y: event.clientY };
    this.show()?.bodies.light(found.body);
    this.camera.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    const grasp = this.grasp;
    if (!grasp || event.pointerId !== grasp.pointer) return;
    if (!this.dragging) {
      if (grasp.pin || Math.hypot(event.clientX - grasp.x, event.clientY - grasp.y) < STILL) return;
      this.pullFrom(grasp);
    }
    this.pull(event, this.target!);
  }

  private up(event: PointerEvent): void {
    const grasp = this.grasp;
    if (!grasp && this.beside) this.walk(event, ...this.beside);
    this.beside = null;
    if (!grasp || event.pointerId !== grasp.pointer) return;
    if (!this.dragging) {
      if (grasp.pin) this.live()?.send({ type: "release", name: grasp.pin });
      else this.pin(grasp.body, grasp.point, event.shiftKey);
    } else this.dropOn(event, grasp.body);
    this.end();
  }

  /** A click beside the figure: it walks there, where it can. */
  private walk(event: PointerEvent, x: number, y: number): void {
    const now = this.present();
    if (!now || !this.live()?.stage?.steps || Math.hypot(event.clientX - x, event.clientY - y) >= STILL) return;
    this.aim(event);
    if (this.show()?.bodies.hit(this.ray)) return; // something that moves is in the way
    const place = this.show()?.bodies.floor(this.ray);
    if (place) this.live()?.send({ type: "walk", place: [place.x, place.y] });
  }

  /** Pin a point of a body (its frame) where it is. */
  pin(body: number, point: Vec3, wholePose: boolean): void {
    this.live()?.send({ type: "pin", link: this.link(body), point, pose: this.pose || wholePose, ...this.along(wholePose) });
  }

  /** Take hold without a pointer, as keys do. */
  take(body: number, point: Vec3, at: Vector3): void {
    if (this.grasp) return;
    this.grasp = { pin: null, body, point, at, pointer: NaN, x: 0, y: 0 };
    this.show()?.bodies.light(body);
    this.pullFrom(this.grasp);
  }

  /** Move the target of a drag by some metres. */
  nudge(by: Vector3): void {
    if (this.target) this.settle(this.target.add(by));
  }

  private pullFrom(grasp: Grasp): void {
    this.target = grasp.at.clone();
    this.plan = "view";
    this.offset.set(0, 0, 0);
    this.camera.held = true;
    this.live()?.send({ type: "drag", link: this.link(grasp.body), point: grasp.point, pose: this.pose });
  }

  private along(pose: boolean): { axes?: string; rotation?: "link" } {
    if (!this.axes || this.pose || pose) return {};
    return { axes: this.axes, ...(this.own ? { rotation: "link" } : {}) };
  }

  link(body: number): string {
    const { name, figure } = this.show()!.scene.bodies[body]!;
    return figure === this.show()!.scene.stage?.figure ? name.slice(figure.length + 1) : name;
  }

  /** Move the target to where the pointer is in the plane of the moment. */
  private pull(event: PointerEvent, target: Vector3): void {
    const plan: Plan = event.shiftKey ? "level" : event.altKey || event.ctrlKey || event.metaKey ? "upright" : "view";
    this.aim(event);
    if (plan !== this.plan) {
      this.plan = plan;
      const met = this.meet(target);
      if (met) this.offset.subVectors(target, met);
    }
    const met = this.meet(target);
    if (!met) return;
    met.add(this.offset);
    if (this.plan === "upright") target.z = met.z;
    else target.copy(met);
    this.settle(target);
  }

  /** Within reach of the figure and above the floor; the server hears of it at the next display frame. */
  private settle(target: Vector3): void {
    const show = this.show()!;
    const away = target.clone().sub(show.subject);
    target.copy(show.subject).add(away.clampLength(0, FARTHEST * show.extent));
    target.z = Math.max(target.z, 0);
    this.unsent = true;
    this.stage.touch();
  }

  /** Where the pointer's ray meets the plane through the target (less the offset); null where it grazes it. */
  private meet(target: Vector3): Vector3 | null {
    const normal = new Vector3(0, 0, 1);
    if (this.plan !== "level") this.stage.camera.getWorldDirection(normal);
    if (this.plan === "upright") normal.setZ(0);
    if (normal.lengthSq() < 1e-6) return null;
    normal.normalize();
    if (Math.abs(normal.dot(this.ray.ray.direction)) < GRAZING) return null;
    const through = target.clone().sub(this.offset);
    return this.ray.ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(normal, through), new Vector3());
  }
}
