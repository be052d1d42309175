// The camera: orbit with the mouse, fingers or keys, four views, following the figures. x is forward, y left, z up.
//
// It is kept as two vectors: where it looks relative to the subject (`offset`), and the arm from there to the camera. Following moves
// both smoothly after the subject; a change of view glides. Who asks the system for less motion gets both at once. It turns about what is
// in the middle of the picture, and where one left it is remembered from visit to visit.
import { Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { recall, remember } from "./memory";
import type { Stage } from "./stage";

export type ViewName = "front" | "side" | "top" | "iso";

export const VIEWS: Record<ViewName, Vector3> = {
  front: new Vector3(1, 0, 0.1).normalize(),
  side: new Vector3(0, -1, 0.1).normalize(),
  top: new Vector3(0, -0.001, 1).normalize(),
  iso: new Vector3(0.78, -0.82, 0.42).normalize(),
};

const LAG = 0.14; // s: the camera is this much behind a subject that moves evenly
const GLIDE = 0.35; // s that a change of view takes
const JUMP = 0.6; // sizes of the scene: a subject that is farther off is gone to at once
const STEEPEST = 0.497 * Math.PI; // above or below the level
const STILL = 1e-5; // m

interface Aim {
  offset: Vector3;
  arm: Vector3;
}

export class Camera {
  view: ViewName | "free" = "iso";
  follow = true;
  held = false; // stays where it is while a hand drags
  depth: () => number | null = () => null; // m to what is in the middle of the picture
  readonly controls: OrbitControls;
  private extent = 1.7;
  private title = "";
  private readonly subject = new Vector3(0, 0, 0.9);
  private readonly base = new Vector3(0, 0, 0.9); // what the aim is relative to: the subject, some moments late
  private readonly aim: Aim = { offset: new Vector3(), arm: VIEWS.iso.clone() };
  private glide: { from: Aim; to: Aim; done: number } | null = null;
  private turning = false;
  private readonly calm = matchMedia("(prefers-reduced-motion: reduce)");

  constructor(
    private readonly stage: Stage,
    private readonly onMove: () => void,
  ) {
    this.controls = new OrbitControls(stage.camera, stage.canvas);
    this.controls.enableDamping = false;
    this.controls.maxPolarAngle = 0.995 * Math.PI;
    this.controls.minDistance = 0.05;
    this.controls.addEventListener("change", () => {
      stage.touch();
      if (this.turning) this.read();
    });
    this.controls.addEventListener("start", () => {
      this.turning = true;
      this.glide = null;
      this.pivot();
      this.free();
    });
    this.controls.addEventListener("end", () => {
      this.turning = false;
      this.keep();
    });
  }

  /** `extent` is the size in m of what is to be seen, `subject` its middle; `title` under which the view is remembered. */
  frame(subject: Vector3, extent: number, view: ViewName, title: string): void {
    this.subject.copy(subject);
    this.base.copy(subject);
    [this.extent, this.title] = [extent, title];
    this.look(view, true);
    const kept = recall<{ view: ViewName | "free"; offset: number[]; arm: number[] }>("camera", title);
    const numbers = [...(kept?.offset ?? []), ...(kept?.arm ?? [])];
    if (!kept || numbers.length !== 6 || !numbers.every(Number.isFinite) || Math.hypot(...numbers) > 30 * extent) return;
    this.view = kept.view;
    this.aim.offset.fromArray(kept.offset);
    this.aim.arm.fromArray(kept.arm);
    this.write();
  }

  look(view: ViewName, atOnce = false): void {
    this.view = view;
    const half = (0.5 * this.stage.camera.fov * Math.PI) / 180;
    const fit = (0.62 * this.extent) / Math.tan(half) / Math.min(1, this.stage.camera.aspect);
    this.go({ offset: new Vector3(), arm: VIEWS[view].clone().multiplyScalar(fit) }, atOnce);
    if (!atOnce) this.keep();
  }

  /** Look at a point of the world, from the side as now, not from farther away than the figure is tall. */
  lookAt(point: Vector3): void {
    this.free();
    const far = Math.min(this.aim.arm.length(), 1.6 * this.extent);
    this.go({ offset: point.clone().sub(this.base), arm: this.aim.arm.clone().setLength(far) }, false);
    this.keep();
  }

  /** Turn about the upright axis and up or down (rad), come closer by a factor. */
  turn(around: number, up: number, factor = 1): void {
    this.glide = null;
    this.free();
    const { arm } = this.aim;
    const length = Math.min(Math.max(arm.length() * factor, this.controls.minDistance), 200);
    const height = Math.asin(Math.min(Math.max(arm.z / arm.length(), -1), 1)) + up;
    const steep = Math.min(Math.max(height, -STEEPEST), STEEPEST);
    const way = Math.atan2(arm.y, arm.x) + around;
    arm.set(Math.cos(steep) * Math.cos(way), Math.cos(steep) * Math.sin(way), Math.sin(steep)).multiplyScalar(length);
    this.write();
    this.keep();
  }

  /** Follow from now on, or stay; a figure that has left the picture comes back to its middle. */
  setFollow(on: boolean): void {
    this.follow = on;
    if (!on) return;
    const seen = this.subject.clone().project(this.stage.camera);
    this.base.copy(this.subject);
    if (Math.max(Math.abs(seen.x), Math.abs(seen.y)) > 1) this.aim.offset.set(0, 0, 0);
    else this.aim.offset.subVectors(this.controls.target, this.subject);
    this.write();
  }

  /** The subject is here now. */
  track(subject: Vector3): void {
    if ([subject.x, subject.y, subject.z].every(Number.isFinite)) this.subject.copy(subject);
  }

  /** Once a display frame: follow, glide. */
  tick(seconds: number): void {
    const moved = this.pursue(seconds);
    if (this.glide) this.slide(seconds);
    else if (!moved) return;
    this.write();
  }

  private pursue(seconds: number): boolean {
    if (!this.follow || this.held) return false;
    const away = this.base.distanceTo(this.subject);
    if (away < STILL) return false;
    const part = this.calm.matches || away > JUMP * this.extent ? 1 : 1 - Math.exp(-seconds / LAG);
    this.base.lerp(this.subject, part);
    return true;
  }

  private slide(seconds: number): void {
    const { from, to } = this.glide!;
    const done = (this.glide!.done = Math.min(this.glide!.done + seconds / GLIDE, 1));
    const part = done * done * (3 - 2 * done);
    this.aim.offset.lerpVectors(from.offset, to.offset, part);
    const far = from.arm.length() + part * (to.arm.length() - from.arm.length());
    this.aim.arm.copy(from.arm).normalize().lerp(to.arm.clone().normalize(), part);
    if (this.aim.arm.lengthSq() < 1e-3) this.aim.arm.copy(to.arm); // the other side: no way is the shortest
    this.aim.arm.setLength(far);
    if (done >= 1) {
      this.aim.arm.copy(to.arm);
      this.glide = null;
    }
  }

  private go(to: Aim, atOnce: boolean): void {
    this.base.copy(this.subject);
    this.aim.offset.subVectors(this.controls.target, this.base);
    if (atOnce || this.calm.matches) {
      this.glide = null;
      this.aim.offset.copy(to.offset);
      this.aim.arm.copy(to.arm);
      this.write();
    } else {
      this.glide = { from: { offset: this.aim.offset.clone(), arm: this.aim.arm.clone() }, to, done: 0 };
      this.stage.touch();
    }
  }

  /** The point turned about goes to the depth of what is in the middle of the picture; nothing is seen to move. */
  private pivot(): void {
    const depth = this.depth();
    if (depth === null) return;
    const ahead = this.stage.camera.getWorldDirection(new Vector3());
    this.controls.target.copy(this.stage.camera.position).addScaledVector(ahead, depth);
    this.read();
  }

  private free(): void {
    this.view = "free";
    this.onMove();
  }

  /** What the mouse has done. */
  private read(): void {
    this.aim.offset.subVectors(this.controls.target, this.base);
    this.aim.arm.subVectors(this.stage.camera.position, this.controls.target);
    this.stage.centre(this.controls.target, this.extent);
  }

  private write(): void {
    this.controls.target.addVectors(this.base, this.aim.offset);
    this.stage.camera.position.addVectors(this.controls.target, this.aim.arm);
    this.controls.update();
    this.stage.centre(this.controls.target, this.extent);
    this.stage.touch();
  }

  private keep(): void {
    const { offset, arm } = this.glide?.to ?? this.aim;
    remember("camera", this.title, { view: this.view, offset: offset.toArray(), arm: arm.toArray() });
  }
}
