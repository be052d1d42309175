// Balance of each figure: centre of mass and its path, zero-moment point, support polygon. Loose things of one body get
// no marks beside jointed figures, and at most eight figures have them.
//
// A frame's contacts do not say whose they are; a patch counts for the figure whose body origin is nearest to it, and
// carries it where its force points mostly upwards (within 60 degrees).
import { Group, Mesh } from "three";
import { ball, LIFT, Path, Polygon, target } from "./marks";
import { hullFromAbove, type Patch } from "./polygon";
import { COM_COLOR, ZMP_COLOR } from "./theme";
import { FIGURE, POSE, type Frame, type SceneMessage, type Vec3 } from "./types";

const MOST_FIGURES = 8;

export class Balance {
  readonly mass = new Group(); // centres of mass, plumb lines, paths
  readonly zmp = new Group();
  readonly support = new Group();
  zmpCount = 0;
  supportCount = 0;
  private readonly centres: Mesh[];
  private readonly plumbs: Path[];
  private readonly paths: Path[];
  private readonly marks: Group[];
  private readonly polygons: Polygon[];
  private readonly figureOfBody: number[];
  private readonly shown: number[]; // figures with marks

  constructor(scene: SceneMessage, extent: number) {
    this.figureOfBody = scene.bodies.map((body) => scene.figures.indexOf(body.figure ?? ""));
    const all = scene.figures.map((_, g) => g);
    const jointed = all.filter((g) => this.figureOfBody.filter((figure) => figure === g).length > 1);
    this.shown = (jointed.length ? jointed : all).slice(0, MOST_FIGURES);
    const each = <T>(make: () => T) => this.shown.map(make);
    this.centres = each(() => ball(COM_COLOR, 0.012 * extent));
    this.plumbs = each(() => new Path(COM_COLOR, 4));
    this.paths = each(() => new Path(COM_COLOR));
    this.marks = each(() => target(ZMP_COLOR, 0.02 * extent));
    this.polygons = each(() => new Polygon(ZMP_COLOR, 0.14));
    this.mass.add(...this.centres, ...this.plumbs.map((p) => p.line), ...this.paths.map((p) => p.line));
    this.zmp.add(...this.marks);
    this.support.add(...this.polygons.map((p) => p.group));
  }

  show(frames: readonly Frame[], index: number, patches: readonly Patch[]): void {
    const frame = frames[index]!;
    const corners = this.cornersByFigure(frame, patches);
    this.zmpCount = this.supportCount = 0;
    this.centres.forEach((centre, g) => {
      const f = frame.figures;
      const at = this.shown[g]! * FIGURE;
      const com: Vec3 = [f[at]!, f[at + 1]!, f[at + 2]!];
      const zmp: Vec3 = [f[at + 3]!, f[at + 4]!, f[at + 5]!];
      centre.visible = Number.isFinite(com[0]);
      if (centre.visible) centre.position.set(...com);
      const base = corners[g]!.length ? Math.min(...corners[g]!.map((p) => p[2])) : zmp[2];
      const plumbed = centre.visible && Number.isFinite(base);
      this.plumbs[g]!.set(plumbed ? 2 : 0, (i) => (i ? [com[0], com[1], base + LIFT] : com));
      this.paths[g]!.set(index + 1, (i) => {
        const past = frames[i]!.figures;
        return [past[at]!, past[at + 1]!, past[at + 2]!];
      });
      const there = zmp.every(Number.isFinite);
      this.marks[g]!.visible = there;
      if (there) {
        this.marks[g]!.position.set(zmp[0], zmp[1], zmp[2] + 2 * LIFT);
        this.zmpCount += 1;
      }
      const hull = hullFromAbove(corners[g]!);
      this.polygons[g]!.set(hull.length > 2 ? hull : [], LIFT);
      if (hull.length > 2) this.supportCount += 1;
    });
  }

  private cornersByFigure(frame: Frame, patches: readonly Patch[]): Vec3[][] {
    const corners: Vec3[][] = this.shown.map(() => []);
    for (const { points, total } of patches) {
      const force = Math.hypot(...total);
      if (!points.length || !(total[2] > 0.5 * force)) continue;
      const figure = this.shown.indexOf(this.figureNear(frame, points[0]!));
      if (figure >= 0) corners[figure]!.push(...points);
    }
    return corners;
  }

  private figureNear(frame: Frame, p: Vec3): number {
    let [best, near] = [Infinity, -1];
    this.figureOfBody.forEach((figure, b) => {
      const at = b * POSE;
      const away = Math.hypot(frame.poses[at]! - p[0], frame.poses[at + 1]! - p[1], frame.poses[at + 2]! - p[2]);
      if (away < best) [best, near] = [away, figure];
    });
    return near;
  }
}
