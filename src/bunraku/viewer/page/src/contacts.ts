// Contacts of a frame: each patch's region in the colour of its state, force arrows, the centre of pressure.
import { Group, type Mesh, type MeshBasicMaterial } from "three";
import { Arrows } from "./arrows";
import { Polygon, target } from "./marks";
import { patchesOf, type Patch } from "./polygon";
import { STATE_COLORS, THEMES, type ThemeName } from "./theme";
import type { Frame, Vec3 } from "./types";

const MOST_PATCHES = 96; // drawn; all are counted
const size = (f: Vec3) => Math.hypot(f[0], f[1], f[2]);

export class Contacts {
  readonly regions = new Group();
  readonly pressures = new Group();
  readonly arrows = new Arrows();
  patches: Patch[] = [];
  reference = 0; // N drawn with `arrowLength`
  states = [0, 0, 0, 0]; // patches by state
  private readonly drawn: Polygon[] = [];
  private readonly centres: Group[] = [];

  private pressureColor = 0;

  constructor(private readonly extent: number) {}

  setTheme(name: ThemeName): void {
    this.pressureColor = THEMES[name].pressure;
    for (const mark of this.centres) {
      for (const part of mark.children as Mesh[]) (part.material as MeshBasicMaterial).color.setHex(this.pressureColor);
    }
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
    }
    forces.sort((a, b) => a - b);
    this.reference = forces[Math.floor(0.9 * (forces.length - 1))] ?? 0;
  }

  show(frame: Frame): void {
    this.patches = patchesOf(frame);
    const drawn = this.patches.slice(0, MOST_PATCHES);
    this.states = [0, 0, 0, 0];
    this.arrows.clear();
    const perNewton = this.reference > 0 ? this.arrowLength / this.reference : 0;
    const longest = 2.2 * this.arrowLength;
    const thick = 0.0042 * this.extent;
    let centres = 0;
    for (const patch of this.patches) this.states[patch.state]! += 1;
    drawn.forEach((patch, i) => {
      const color = STATE_COLORS[patch.state] ?? STATE_COLORS[0]!;
      this.regionAt(i).paint(color);
      this.regionAt(i).set(patch.points, 0.0015 * this.extent);
      const whole = Math.min(size(patch.total) * perNewton, longest);
      if (patch.points.length > 1) {
        patch.forces.forEach((f, k) =>
          this.arrows.add(patch.points[k]!, f, Math.min(size(f) * perNewton, longest), 0.45 * thick, color),
        );
      }
      if (patch.pressure) {
        this.arrows.add(patch.pressure, patch.total, whole, thick, color);
        const mark = this.centreAt(centres++);
        mark.position.set(...patch.pressure);
        mark.visible = true;
      }
    });
    this.arrows.finish();
    for (let i = drawn.length; i < this.drawn.length; i++) this.drawn[i]!.group.visible = false;
    for (let i = centres; i < this.centres.length; i++) this.centres[i]!.visible = false;
  }

  private regionAt(i: number): Polygon {
    if (!this.drawn[i]) {
      this.drawn[i] = new Polygon(0, 0.45, 32);
      this.regions.add(this.drawn[i]!.group);
    }
    return this.drawn[i]!;
  }

  private centreAt(i: number): Group {
    if (!this.centres[i]) {
      this.centres[i] = target(this.pressureColor, 0.011 * this.extent);
      this.pressures.add(this.centres[i]!);
    }
    return this.centres[i]!;
  }
}
