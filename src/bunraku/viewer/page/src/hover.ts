// What is under the pointer: its link lights up and is named beside it; the cursor says whether it can be taken hold of. A double click, or
// `c`, looks at it.
import { Matrix4, Raycaster, Vector2, type Vector3 } from "three";
import type { Camera } from "./camera";
import { byId, put } from "./dom";
import type { Hand } from "./hand";
import type { KeyHand } from "./key_hand";
import { poseOf } from "./shapes";
import type { Show } from "./show";
import type { Stage } from "./stage";
import type { Vec3 } from "./types";

export class Hover {
  name = ""; // of the link under the pointer
  private moved: PointerEvent | null = null; // since the last display frame
  private over: { body: number; point: Vector3 } | null = null;
  private readonly tip = byId("tip");
  private readonly ray = new Raycaster();

  constructor(
    private readonly stage: Stage,
    private readonly camera: Camera,
    private readonly hand: Hand,
    private readonly keys: KeyHand,
    private readonly show: () => Show | null,
  ) {
    const { canvas } = stage;
    canvas.addEventListener("pointermove", (event) => (this.moved = event));
    canvas.addEventListener("pointerdown", (event) => (this.moved = event));
    canvas.addEventListener("pointerleave", () => this.leave());
    canvas.addEventListener("pointerup", (event) => event.pointerType !== "mouse" && this.leave());
    canvas.addEventListener("dblclick", (event) => {
      const hit = this.hit(event);
      if (hit) this.camera.lookAt(hit.point);
    });
    camera.depth = () => {
      this.ray.setFromCamera(new Vector2(0, 0), stage.camera);
      return this.show()?.bodies.hit(this.ray)?.point.distanceTo(stage.camera.position) ?? null;
    };
  }

  /** What is under the pointer, else what was chosen by keys: a point in its body's frame. */
  taken(): { body: number; point: Vec3 } | null {
    const frame = this.hand.present()?.frame;
    if (!this.over || !frame) return this.keys.chosen;
    const inverse = poseOf(frame.poses, this.over.body, new Matrix4()).invert();
    return { body: this.over.body, point: this.over.point.clone().applyMatrix4(inverse).toArray() };
  }

  /** Look at the link under the pointer, else at the one chosen by keys. */
  look(): void {
    const at = this.over?.point ?? this.keys.place();
    if (at) this.camera.lookAt(at);
  }

  /** Once a display frame. */
  tick(): void {
    const event = this.moved;
    this.moved = null;
    const busy = this.hand.dragging;
    if (event && !busy && event.buttons <= 1) this.find(event);
    const over = busy ? null : this.over;
    if (!busy && this.show()?.bodies.light(over?.body ?? this.keys.body)) this.stage.touch();
    this.name = over ? nameOf(this.show(), over.body) : this.keys.name;
    this.tip.hidden = !this.name;
    if (!this.name) return;
    put(this.tip, this.name);
    if (!over) this.place(this.keys.place());
  }

  private find(event: PointerEvent): void {
    this.over = this.hit(event);
    const grip = event.buttons ? null : this.hand.under(event);
    this.stage.canvas.style.cursor = grip ? (grip.pin ? "pointer" : "grab") : "";
    const { left, top } = this.stage.canvas.getBoundingClientRect();
    if (this.over) this.put(event.clientX - left, event.clientY - top);
  }

  private leave(): void {
    this.over = null;
    this.stage.canvas.style.cursor = "";
  }

  private hit(event: MouseEvent): { body: number; point: Vector3 } | null {
    const { left, top, width, height } = this.stage.canvas.getBoundingClientRect();
    this.ray.setFromCamera(new Vector2((2 * (event.clientX - left)) / width - 1, 1 - (2 * (event.clientY - top)) / height), this.stage.camera);
    return this.show()?.bodies.hit(this.ray) ?? null;
  }

  private place(at: Vector3 | null): void {
    if (!at) return;
    const seen = at.clone().project(this.stage.camera);
    const { clientWidth: width, clientHeight: height } = this.stage.canvas;
    this.put((0.5 + 0.5 * seen.x) * width, (0.5 - 0.5 * seen.y) * height);
  }

  /** The name beside a point of the picture, inside of it. */
  private put(x: number, y: number): void {
    const room = this.stage.canvas.clientWidth - this.tip.offsetWidth - 6;
    this.tip.style.transform = `translate(${Math.max(Math.min(x + 16, room), 4).toFixed(0)}px, ${Math.max(y - 30, 4).toFixed(0)}px)`;
  }
}

/** A body's name for a person: without its figure where there is but one. */
export function nameOf(show: Show | null, body: number): string {
  const found = show?.scene.bodies[body];
  if (!found) return "";
  const short = found.figure && found.name.startsWith(`${found.figure}.`) ? found.name.slice(found.figure.length + 1) : found.name;
  const several = (show?.scene.figures.length ?? 0) > 1 && short !== found.name;
  return (several ? `${found.figure}: ${short}` : short).replaceAll("_", " ");
}
