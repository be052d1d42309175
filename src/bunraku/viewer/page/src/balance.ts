// Balance of each figure: centre of mass and its path, zero-moment point, support polygon. Loose things of one body get
// no marks beside jointed figures, and at most eight figures have them.
//
// A patch carries the figure of one of its bodies where it pushes that figure mostly upwards (within 60 degrees) and the
// other side is not the figure itself.
import { Group, SphereGeometry } from "three";
import { Segments, Trail } from "./lines";
import { LIFT, Polygons, ring, Spots } from "./marks";
import { hullFromAbove, type Patch } from "./polygon";
import { COM_COLOR, ZMP_COLOR } from "./theme";
import { FIGURE, type Frame, type SceneMessage, type Vec3 } from "./types";

const MOST_FIGURES = 8;

export class Balance {
  readonly mass = new Group(); // centres of mass, plumb lines, paths
  readonly zmp = new Group();
  readonly support: Group;
  supports: Vec3[][] = []; // corners, by figure
  private readonly centres: Spots;
  private readonly plumbs = new Segments(2.2, 8);
  private readonly trails: Trail[];
  private readonly targets: Spots;
  private readonly polygons = new Polygons(0.14, 1024);
  private readonly figureOfBody: number[];
  private readonly shown: number[]; // figures with marks

  constructor(scene: SceneMessage, extent: number) {
    this.figureOfBody = scene.bodies.map((body) => scene.figures.indexOf(body.figure ?? ""));
    const all = scene.figures.map((_, g) => g);
    const jointed = all.filter((g) => this.figureOfBody.filter((figure) => figure === g).length > 1);
    this.shown = (jointed.length ? jointed : all).slice(0, MOST_FIGURES);
    this.centres = new Spots(new SphereGeometry(0.012 * extent, 18, 10), COM_COLOR, MOST_FIGURES, 7);
    this.trails = this.shown.map(() => new Trail(COM_COLOR));
    this.targets = new Spots(ring(0.02 * extent), ZMP_COLOR, MOST_FIGURES);
    this.mass.add(this.centres.mesh, this.plumbs.line, ...this.trails.map(({ line }) => line));
    this.zmp.add(this.targets.mesh);
    this.support = this.polygons.group;
  }

  get zmpCount(): number {
    return this.targets.count;
  }

  show(frames: readonly Frame[], index: number, patches: readonly Patch[]): void {
    const { figures } = frames[index]!;
    const corners = this.cornersByFigure(patches);
    this.supports = corners.map(hullFromAbove).map((hull) => (hull.length > 2 ? hull : []));
    const parts = [this.centres, this.plumbs, this.targets, this.polygons];
    for (const part of parts) part.clear();
    this.shown.forEach((figure, g) => {
      const at = figure * FIGURE;
      const [com, zmp] = [pointAt(figures, at), pointAt(figures, at + 3)];
      const base = corners[g]!.length ? Math.min(...corners[g]!.map((p) => p[2])) : zmp[2];
      if (Number.isFinite(com[0])) {
        this.centres.add(...com);
        if (Number.isFinite(base)) this.plumbs.add(com, [com[0], com[1], base + LIFT], COM_COLOR);
      }
      this.trails[g]!.follow(frames, index, (frame) => pointAt(frame.figures, at));
      if (zmp.every(Number.isFinite)) this.targets.add(zmp[0], zmp[1], zmp[2] + 2 * LIFT);
      this.polygons.add(this.supports[g]!, LIFT, ZMP_COLOR);
    });
    for (const part of parts) part.finish();
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

function pointAt(numbers: Float32Array, at: number): Vec3 {
  return [numbers[at]!, numbers[at + 1]!, numbers[at + 2]!];
}
