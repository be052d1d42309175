// The camera: orbit with the mouse or fingers, four views, and following the figures. x is forward, y left, z up.
import { Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Stage } from "./stage";

export type ViewName = "front" | "side" | "top" | "iso";

export const VIEWS: Record<ViewName, Vector3> = {
  front: new Vector3(1, 0, 0.1).normalize(),
  side: new Vector3(0, -1, 0.1).normalize(),
  top: new Vector3(0, -0.001, 1).normalize(),
  iso: new Vector3(0.78, -0.82, 0.42).normalize(),
};

export class Camera {
  view: ViewName | "free" = "iso";
  follow = true;
  held = false; // stays where it is while a hand drags
  readonly controls: OrbitControls;
  private extent = 1.7;
  private readonly subject = new Vector3(0, 0, 0.9);
  private readonly step = new Vector3();

  constructor(
    private readonly stage: Stage,
    onMove: () => void,
  ) {
    this.controls = new OrbitControls(stage.camera, stage.renderer.domElement);
    this.controls.enableDamping = false;
    this.controls.maxPolarAngle = 0.995 * Math.PI;
    this.controls.minDistance = 0.05;
    this.controls.addEventListener("change", () => stage.touch());
    this.controls.addEventListener("start", () => {
      this.view = "free";
      onMove();
    });
  }

  /** `extent` is the size in m of what is to be seen, `subject` its middle. */
  frame(subject: Vector3, extent: number, view: ViewName): void {
    this.subject.copy(subject);
    this.extent = extent;
    this.look(view);
  }

  look(view: ViewName): void {
    this.view = view;
    const half = (0.5 * this.stage.camera.fov * Math.PI) / 180;
    const fit = (0.62 * this.extent) / Math.tan(half) / Math.min(1, this.stage.camera.aspect);
    this.controls.target.copy(this.subject);
    this.stage.camera.position.copy(this.subject).addScaledVector(VIEWS[view], fit);
    this.controls.update();
    this.stage.centre(this.controls.target, this.extent);
    this.stage.touch();
  }

  /** The subject moved: the camera goes with it if it follows, keeping its angle and distance. */
  track(subject: Vector3): void {
    if (![subject.x, subject.y, subject.z].every(Number.isFinite)) return;
    this.step.subVectors(subject, this.subject);
    this.subject.copy(subject);
    if (this.follow && !this.held && this.step.lengthSq() > 1e-12) {
      this.controls.target.add(this.step);
      this.stage.camera.position.add(this.step);
      this.controls.update();
    }
    this.stage.centre(this.controls.target, this.extent);
  }
}
