// Contacts of a frame: each patch's region in the colour of its state, force arrows (of connections, too), the centre of
// pressure.
import { Group } from "three";
import { Arrows } from "./arrows";
import { Polygons, ring, Spots } from "./marks";
import { patchesOf, pullsOf, type Patch } from "./polygon";
import { CONNECTION_COLOR, STATE_COLORS, THEMES, type ThemeName } from "./theme";
import type { Frame, Vec3 } from "./types";

const MOST_PATCHES = 256; // drawn; all are counted
const MOST_CORNERS = 4096; // of all of them
const size = (f: Vec3) => Math.hypot(f[0], f[1], f[2]);

export class Contacts {
  readonly arrows = new Arrows();
  patches: Patch[] = [];
  reference = 0; // N drawn with `arrowLength`
  states = [0, 0, 0, 0]; // patches by state
  pulls = 0; // connections that carry a force
  private readonly polygons = new Polygons(0.45, MOST_CORNERS);
  private readonly centres: Spots;
  readonly regions = this.polygons.group;
  readonly pressures = new Group();

  constructor(private readonly extent: number) {
    this.centres = new Spots(ring(0.011 * extent), 0, MOST_PATCHES);
    this.pressures.add(this.centres.mesh);
  }

  setTheme(name: ThemeName): void {
    this.centres.mesh.material.color.setHex(THEMES[name].pressure);
  }

  /** Length in m of an arrow of the reference force. */
  get arrowLength(): number {
    return 0.28 * this.extent;
  }

  /** The reference is the 90th percentile of the patches' forces: impacts do not shrink everything else. */
  calibrate(frames: readonly Frame[]): void {
    const stride = Math.max(1, Math.floor(frames.length / 200));
    const forces: number[] = [];
    for (let i = 0; i < frames.length; i += stride) {
      for (const patch of patchesOf(frames[i]!)) if (size(patch.total) > 1e-6) forces.push(size(patch.total));
      for (const { force } of pullsOf(frames[i]!)) forces.push(size(force));
    }
    forces.sort((a, b) => a - b);
    this.reference = forces[Math.floor(0.9 * (forces.length - 1))] ?? 0;
  }

  /** Metres of an arrow a newton, and the longest. */
  get scale(): [number, number] {
    return [this.reference > 0 ? this.arrowLength / this.reference : 0, 2.2 * this.arrowLength];
  }

  show(frame: Frame): void {
    this.patches = patchesOf(frame);
    this.states = [0, 0, 0, 0];
    for (const part of [this.arrows, this.polygons, this.centres]) part.clear();
    const [perNewton, longest] = this.scale;
    const thick = 0.0042 * this.extent;
    for (const patch of this.patches) this.states[patch.state]! += 1;
    for (const patch of this.patches.slice(0, MOST_PATCHES)) {
      const color = STATE_COLORS[patch.state] ?? STATE_COLORS[0]!;
      this.polygons.add(patch.points, 0.0015 * this.extent, color);
      const whole = Math.min(size(patch.total) * perNewton, longest);
      if (patch.points.length > 1) {
        patch.forces.forEach((f, k) =>
          this.arrows.add(patch.points[k]!, f, Math.min(size(f) * perNewton, longest), 0.45 * thick, color),
        );
      }
      if (patch.pressure) {
        this.arrows.add(patch.pressure, patch.total, whole, thick, color);
        this.centres.add(...patch.pressure);
      }
    }
    const pulls = pullsOf(frame);
    this.pulls = pulls.length;
    for (const { point, force } of pulls) this.arrows.add(point, force, Math.min(size(force) * perNewton, longest), thick, CONNECTION_COLOR);
    for (const part of [this.arrows, this.polygons, this.centres]) part.finish();
  }
}
