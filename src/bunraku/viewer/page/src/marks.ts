// Small building blocks of the overlays: rings and dots flat on the ground, lines as wide on a projector as on a laptop,
// filled polygons.
import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  type InterleavedBufferAttribute,
  type Material,
  Mesh,
  MeshBasicMaterial,
  type Object3D,
  OctahedronGeometry,
  RingGeometry,
  SkinnedMesh,
  SphereGeometry,
} from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { Vec3 } from "./types";

export const LIFT = 0.003; // m above the ground, so that marks do not fight with it

const flat = (color: number, opacity: number) =>
  new MeshBasicMaterial({
    color,
    opacity,
    transparent: opacity < 1,
    side: DoubleSide,
    depthWrite: opacity >= 1,
    polygonOffset: true,
    polygonOffsetFactor: -2,
  });

/** Take something from the stage for good and free what the graphics card holds of it. */
export function discard(thing: Object3D): void {
  thing.removeFromParent();
  thing.traverse((part) => {
    if (!(part instanceof Mesh)) return;
    part.geometry.dispose();
    if (part instanceof SkinnedMesh) part.skeleton.dispose();
    for (const material of [part.material].flat()) material.dispose();
  });
}

/** Let a mark be seen through whatever is before it. As it leaves no depth it must come after the ground, which is drawn late since it fades. */
export function seenThrough<T extends Material>(material: T): T {
  material.depthTest = false;
  material.transparent = true;
  return material;
}

/** A flat ring with a bead: zero-moment point, centre of pressure. */
export function target(color: number, radius: number): Group {
  const group = new Group();
  const ring = new Mesh(new RingGeometry(0.72 * radius, radius, 40), flat(color, 1));
  const dot = new Mesh(new SphereGeometry(0.34 * radius, 14, 8), flat(color, 1)); // round: seen from the side too
  group.add(ring, dot);
  for (const mesh of group.children as Mesh[]) {
    mesh.renderOrder = 6;
    seenThrough(mesh.material as MeshBasicMaterial); // through the foot that stands on it
  }
  return group;
}

export function ball(color: number, radius: number): Mesh {
  const mesh = new Mesh(new SphereGeometry(radius, 18, 10), seenThrough(new MeshBasicMaterial({ color })));
  mesh.renderOrder = 7;
  return mesh;
}

/** What holds something to the world. */
export function diamond(color: number, radius: number): Mesh {
  const mesh = new Mesh(new OctahedronGeometry(radius), seenThrough(new MeshBasicMaterial({ color })));
  mesh.renderOrder = 7;
  return mesh;
}

/** A polyline through at most `most` points, a few pixels wide; its buffers are made once. */
export class Path {
  readonly line: Line2;
  private readonly geometry = new LineGeometry();
  private readonly data: Float32Array;
  private readonly starts: InterleavedBufferAttribute;

  constructor(
    color: number,
    private readonly most = 1500,
    width = 2.2,
  ) {
    this.geometry.setPositions(new Float32Array(3 * most));
    this.starts = this.geometry.getAttribute("instanceStart") as InterleavedBufferAttribute;
    this.starts.data.setUsage(DynamicDrawUsage);
    this.data = this.starts.data.array as Float32Array; // a row a segment: its start and its end
    this.line = new Line2(this.geometry, new LineMaterial({ color, linewidth: width }));
    this.line.frustumCulled = false;
    this.line.visible = false;
  }

  paint(color: number): void {
    this.line.material.color.setHex(color);
  }

  /** Points number 0 … n - 1, thinned out where there are too many; those with NaN are left out. */
  set(n: number, at: (i: number) => Vec3): void {
    const stride = Math.max(1, Math.ceil(n / (this.most - 1)));
    let before: Vec3 | null = null;
    let used = 0;
    for (let i = 0; i < n; i = i + stride < n || i === n - 1 ? i + stride : n - 1) {
      const p = at(i);
      if (!Number.isFinite(p[0])) continue;
      if (before) {
        this.data.set(before, 6 * used);
        this.data.set(p, 6 * used + 3);
        used += 1;
      }
      before = p;
    }
    this.starts.data.needsUpdate = true;
    this.geometry.instanceCount = used;
    this.line.visible = used > 0;
  }
}

/** Convex polygon: a faint fill, and an outline that shows through the foot that stands on it. */
export class Polygon {
  readonly group = new Group();
  private readonly fill: Mesh;
  private readonly edge: Path;
  private readonly data: BufferAttribute;

  constructor(color: number, opacity: number, most = 64) {
    this.data = new BufferAttribute(new Float32Array(most * 3), 3).setUsage(DynamicDrawUsage);
    const filled = new BufferGeometry().setAttribute("position", this.data);
    const fan: number[] = [];
    for (let i = 1; i + 1 < most; i++) fan.push(0, i, i + 1);
    filled.setIndex(fan);
    this.fill = new Mesh(filled, flat(color, opacity));
    this.edge = new Path(color, most + 2, 1.8);
    this.fill.frustumCulled = false;
    this.fill.renderOrder = 3;
    this.edge.line.renderOrder = 4;
    seenThrough(this.edge.line.material);
    this.group.add(this.fill, this.edge.line);
  }

  paint(color: number): void {
    (this.fill.material as MeshBasicMaterial).color.setHex(color);
    this.edge.paint(color);
  }

  set(corners: readonly Vec3[], lift = LIFT): void {
    const n = Math.min(corners.length, this.data.count);
    const raised = (i: number): Vec3 => [corners[i % n]![0], corners[i % n]![1], corners[i % n]![2] + lift];
    for (let i = 0; i < n; i++) this.data.setXYZ(i, ...raised(i));
    this.data.needsUpdate = true;
    this.fill.geometry.setDrawRange(0, Math.max(n - 2, 0) * 3);
    this.edge.set(n > 1 ? n + 1 : 0, raised);
    this.group.visible = n > 1;
  }
}
