// Balance of each figure: centre of mass and its path, zero-moment point, support polygon. Loose things of one body get
// no marks beside jointed figures, and at most eight figures have them.
//
// A patch carries the figure of one of its bodies where it pushes that figure mostly upwards (within 60 degrees) and the
// other side is not the figure itself.
import { Group, Mesh } from "three";
import { ball, LIFT, Path, Polygon, target } from "./marks";
import { hullFromAbove, type Patch } from "./polygon";
import { COM_COLOR, ZMP_COLOR } from "./theme";
import { FIGURE, type Frame, type SceneMessage, type Vec3 } from "./types";

const MOST_FIGURES = 8;

export class Balance {
  readonly mass = new Group(); // centres of mass, plumb lines, paths
  readonly zmp = new Group();
  readonly support = new Group();
  zmpCount = 0;
  supports: Vec3[][] = []; // corners, by figure
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
    const corners = this.cornersByFigure(patches);
    this.zmpCount = 0;
    this.supports = corners.map(hullFromAbove).map((hull) => (hull.length > 2 ? hull : []));
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
      this.polygons[g]!.set(this.supports[g]!, LIFT);
    });
  }

  private cornersByFigure(patches: readonly Patch[]): Vec3[][] {
    const corners: Vec3[][] = this.shown.map(() => []);
    for (const { points, total, bodies } of patches) {
      const [a, b] = bodies.map((body) => this.figureOfBody[body] ?? -1) as [number, number];
      if (a === b) continue;
      const steep = total[2] / Math.hypot(...total); // cosine of the angle to upwards; NaN without force
      const carried = this.shown.indexOf(steep > 0.5 ? a : steep < -0.5 ? b : -1);
      if (carried >= 0) corners[carried]!.push(...points);
    }
    return corners;
  }
}
