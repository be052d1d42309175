// Small building blocks of the overlays, each kind in one draw however many there are: rings and beads, balls, diamonds, filled polygons.
// They are laid anew frame by frame: `clear`, `add` …, `finish`. Lines are in lines.ts.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  type Material,
  Mesh,
  MeshBasicMaterial,
  type Object3D,
  OctahedronGeometry,
  RingGeometry,
  SkinnedMesh,
  SphereGeometry,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { Segments } from "./lines";
import type { Vec3 } from "./types";

export const LIFT = 0.003; // m above the ground, so that marks do not fight with it
const MATRIX = 16; // numbers
const one = new Color();

/** Take something from the stage for good and free what the graphics card holds of it. */
export function discard(thing: Object3D): void {
  thing.removeFromParent();
  thing.traverse((part) => {
    if (!(part instanceof Mesh)) return;
    part.geometry.dispose();
    if (part instanceof SkinnedMesh) part.skeleton.dispose();
    if (part instanceof InstancedMesh) part.dispose();
    for (const material of [part.material].flat()) material.dispose();
  });
}

/** Let a mark be seen through whatever is before it. As it leaves no depth it must come after the ground, which is drawn late since it fades. */
export function seenThrough<T extends Material>(material: T): T {
  material.depthTest = false;
  material.transparent = true;
  material.forceSinglePass = true; // both sides in one draw
  return material;
}

/** A flat ring with a bead, which is round: seen from the side, too. Zero-moment point, centre of pressure. */
export function ring(radius: number): BufferGeometry {
  return mergeGeometries([new RingGeometry(0.72 * radius, radius, 28), new SphereGeometry(0.34 * radius, 8, 6)]);
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

/** The same mark at many places. */
export class Spots {
  readonly mesh: InstancedMesh<BufferGeometry, MeshBasicMaterial>;
  count = 0;

  constructor(
    geometry: BufferGeometry,
    color: number,
    private readonly most: number,
    order = 6,
  ) {
    const material = seenThrough(new MeshBasicMaterial({ color, side: DoubleSide })); // through the foot that stands on it
    this.mesh = new InstancedMesh(geometry, material, most);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    const { array } = this.mesh.instanceMatrix;
    for (let i = 0; i < most; i++) for (let k = 0; k < 4; k++) array[MATRIX * i + 5 * k] = 1;
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = order;
    this.mesh.visible = false;
  }

  clear(): void {
    this.count = 0;
  }

  add(x: number, y: number, z: number): void {
    if (this.count === this.most) return;
    const at = MATRIX * this.count++ + 12;
    const { array } = this.mesh.instanceMatrix;
    [array[at], array[at + 1], array[at + 2]] = [x, y, z];
  }

  finish(): void {
    sendFirst(this.mesh.instanceMatrix, MATRIX * this.count);
    this.mesh.count = this.count;
    this.mesh.visible = this.count > 0;
  }
}

/** The first numbers of a buffer are new; nothing else is sent. */
export function sendFirst(buffer: BufferAttribute, numbers: number): void {
  if (numbers === 0) return;
  buffer.clearUpdateRanges();
  buffer.addUpdateRange(0, numbers);
  buffer.needsUpdate = true;
}

/** Convex polygons: faint fills, and outlines that show through the foot that stands on them. */
export class Polygons {
  readonly group = new Group();
  private readonly fill: Mesh<BufferGeometry, MeshBasicMaterial>;
  private readonly edges = new Segments(1.8, 256);
  private readonly places: BufferAttribute;
  private readonly paints: BufferAttribute;
  private readonly fans: BufferAttribute;
  private corners = 0;
  private indices = 0;

  /** `most`: corners of all of them. */
  constructor(
    opacity: number,
    private readonly most: number,
  ) {
    const attribute = () => new BufferAttribute(new Float32Array(3 * most), 3).setUsage(DynamicDrawUsage);
    [this.places, this.paints] = [attribute(), attribute()];
    this.fans = new BufferAttribute(new Uint16Array(3 * most), 1).setUsage(DynamicDrawUsage);
    const filled = new BufferGeometry().setAttribute("position", this.places).setAttribute("color", this.paints).setIndex(this.fans);
    const material = new MeshBasicMaterial({ vertexColors: true, opacity, transparent: true, side: DoubleSide, depthWrite: false });
    Object.assign(material, { forceSinglePass: true, polygonOffset: true, polygonOffsetFactor: -2 });
    this.fill = new Mesh(filled, material);
    this.fill.frustumCulled = false;
    this.fill.renderOrder = 3;
    this.edges.line.renderOrder = 4;
    seenThrough(this.edges.line.material);
    this.group.add(this.fill, this.edges.line);
  }

  clear(): void {
    this.corners = this.indices = 0;
    this.edges.clear();
  }

  add(corners: readonly Vec3[], lift: number, color: number): void {
    const n = corners.length;
    if (n < 2 || this.corners + n > this.most) return;
    const raised = corners.map(([x, y, z]): Vec3 => [x, y, z + lift]);
    const first = this.corners;
    one.setHex(color);
    raised.forEach((p, i) => {
      this.edges.add(p, raised[(i + 1) % n]!, color);
      this.places.setXYZ(this.corners, ...p);
      this.paints.setXYZ(this.corners++, one.r, one.g, one.b);
      if (i < 2) return;
      this.fans.array.set([first, first + i - 1, first + i], this.indices);
      this.indices += 3;
    });
  }

  finish(): void {
    this.edges.finish();
    sendFirst(this.places, 3 * this.corners);
    sendFirst(this.paints, 3 * this.corners);
    sendFirst(this.fans, this.indices);
    this.fill.geometry.setDrawRange(0, this.indices);
    this.fill.visible = this.indices > 0;
  }
}
