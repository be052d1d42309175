// Skins: human figures as one surface over all links (bunraku/viewer/skins.py). Bones lie between two bodies, turned a share of the way from the
// one to the other, as bunraku/draw/skin_bones.py turns them; the graphics card blends them. A frame moves 49 bones, no vertex.
import { Bone, BufferAttribute, BufferGeometry, Group, Matrix4, MeshStandardMaterial, Quaternion, Skeleton, SkinnedMesh, SRGBColorSpace, Color, Vector3 } from "three";
import { inflate } from "./frames";
import { POSE, type Frame, type SkinMessage } from "./types";

const COARSE = 0.05; // m: what casts a shadow has vertices so far apart, about a tenth of the triangles
const GLOW = "vec3(0.042, 0.026, 0.005)"; // of the body under the pointer
const one = new Vector3(1, 1, 1);
const [place, between] = [new Vector3(), new Quaternion()];

export class Skin {
  readonly group = new Group();
  ready = false;
  shadow = 0; // triangles that cast its shadow
  private readonly bones: Bone[];
  private readonly turns: Map<number, Quaternion>;
  private readonly attitudes: Map<number, Quaternion>; // of the links, by body
  private readonly lit = { value: -1 };
  private mesh: SkinnedMesh | null = null;
  private last: Frame | null = null;

  /** `made`: told when it can be shown. */
  constructor(
    private readonly message: SkinMessage,
    made: () => void,
  ) {
    this.bones = message.bones.map(() => new Bone());
    this.turns = new Map(Object.entries(message.turns).map(([body, [w, x, y, z]]) => [Number(body), new Quaternion(x, y, z, w)]));
    this.attitudes = new Map(message.bones.flatMap(([a, b]) => [[a, new Quaternion()], [b, new Quaternion()]]));
    this.make().then(made, (error: unknown) => console.warn(`no skin for ${message.figure}: ${String(error)}`));
  }

  get triangles(): number {
    return this.ready ? this.message.triangles : 0;
  }

  private async make(): Promise<void> {
    const geometry = geometryOf(this.message, await inflate(this.message.data));
    const material = new MeshStandardMaterial({ vertexColors: true, roughness: 0.82 - 0.9 * this.message.gloss, metalness: 0 });
    material.onBeforeCompile = (shader) => {
      shader.uniforms.lit = this.lit;
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", "#include <common>\nattribute float link;\nuniform float lit;\nvarying float glow;")
        .replace("#include <begin_vertex>", "#include <begin_vertex>\nglow = abs(link - lit) < 0.5 ? 1.0 : 0.0;");
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", "#include <common>\nvarying float glow;")
        .replace("#include <emissivemap_fragment>", `#include <emissivemap_fragment>\ntotalEmissiveRadiance += glow * ${GLOW};`);
    };
    const mesh = new SkinnedMesh(geometry, material);
    const fine = 3 * this.message.triangles;
    this.shadow = (geometry.getIndex()!.count - fine) / 3;
    mesh.onBeforeShadow = () => geometry.setDrawRange(fine, 3 * this.shadow);
    mesh.onAfterShadow = () => geometry.setDrawRange(0, fine);
    geometry.setDrawRange(0, fine);
    const inverses = this.message.rest.map(([x, y, z, qw, qx, qy, qz]) =>
      new Matrix4().compose(new Vector3(x, y, z), new Quaternion(qx, qy, qz, qw).normalize(), one).invert(),
    );
    mesh.bind(new Skeleton(this.bones, inverses), new Matrix4());
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    mesh.name = this.message.figure;
    this.mesh = mesh;
    this.group.add(mesh);
    this.ready = true;
    if (this.last) this.show(this.last);
  }

  /** Move the bones to where a frame has the bodies. */
  show(frame: Frame): void {
    this.last = frame;
    if (!this.ready) return;
    const { poses } = frame;
    for (const [body, attitude] of this.attitudes) {
      const at = body * POSE;
      attitude.set(poses[at + 4]!, poses[at + 5]!, poses[at + 6]!, poses[at + 3]!).normalize();
      const turn = this.turns.get(body);
      if (turn) attitude.multiply(turn);
    }
    this.message.bones.forEach(([a, b, share], k) => {
      const to = this.attitudes.get(b)!;
      if (a !== b) between.copy(this.attitudes.get(a)!).slerp(to, share);
      const at = b * POSE;
      place.set(poses[at]!, poses[at + 1]!, poses[at + 2]!);
      this.bones[k]!.matrixWorld.compose(place, a === b ? to : between, one);
    });
  }

  /** Light up what belongs to a body (-1: nothing). */
  light(body: number): void {
    this.lit.value = body;
  }

  /** Where vertex `k` is now; for tests. */
  vertex(k: number): number[] {
    if (!this.mesh) return [];
    this.mesh.skeleton.update();
    return this.mesh.getVertexPosition(k, new Vector3()).toArray();
  }
}

/** The mesh of a skin's bytes; the layout is written down in bunraku/viewer/skins.py. */
function geometryOf(message: SkinMessage, data: ArrayBuffer): BufferGeometry {
  const { vertices: n, triangles: m, scale, offset } = message;
  const sizes = [6 * n, 3 * n, n, 4 * n, 4 * n, 6 * m].map((size) => 4 * Math.ceil(size / 4));
  if (data.byteLength !== sizes.reduce((a, b) => a + b, 0)) throw new Error("its data have the wrong length");
  const starts = sizes.map((_, i) => sizes.slice(0, i).reduce((a, b) => a + b, 0));
  const [position, normal, color] = [new Float32Array(3 * n), new Float32Array(3 * n), new Float32Array(3 * n)];
  const [steps, slopes] = [new Int16Array(data, starts[0], 3 * n), new Int8Array(data, starts[1], 3 * n)];
  for (let axis = 0; axis < 3; axis++) {
    let [x, s] = [0, 0];
    for (let i = 0; i < n; i++) {
      x = ((x + steps[axis * n + i]!) << 16) >> 16;
      s = ((s + slopes[axis * n + i]!) << 24) >> 24;
      position[3 * i + axis] = x * scale + offset[axis]!;
      normal[3 * i + axis] = s / 127;
    }
  }
  const paint = new Uint8Array(data, starts[2], n);
  const palette = message.palette.map(([r, g, b]) => new Color().setRGB(r / 255, g / 255, b / 255, SRGBColorSpace));
  paint.forEach((which, i) => palette[which]!.toArray(color, 3 * i));
  const bones = new Uint8Array(data, starts[3], 4 * n);
  const weights = new Uint8Array(data, starts[4], 4 * n);
  const link = new Float32Array(n);
  for (let i = 0; i < n; i++) link[i] = message.bones[bones[4 * i]!]![1]; // the first bone weighs most
  const [moves, index] = [new Uint16Array(data, starts[5], 3 * m), new Uint16Array(3 * m)];
  let first = 0;
  for (let t = 0; t < 3 * m; t += 3) {
    first = (first + moves[t]!) & 0xffff;
    index[t] = first;
    index[t + 1] = (first + moves[t + 1]!) & 0xffff;
    index[t + 2] = (first + moves[t + 2]!) & 0xffff;
  }
  const coarse = coarser(position, index);
  const out = new BufferGeometry();
  out.setAttribute("position", new BufferAttribute(position, 3));
  out.setAttribute("normal", new BufferAttribute(normal, 3));
  out.setAttribute("color", new BufferAttribute(color, 3));
  out.setAttribute("skinIndex", new BufferAttribute(bones, 4));
  out.setAttribute("skinWeight", new BufferAttribute(weights, 4, true));
  out.setAttribute("link", new BufferAttribute(link, 1));
  const all = new Uint16Array(index.length + coarse.length);
  all.set(index);
  all.set(coarse, index.length);
  out.setIndex(new BufferAttribute(all, 1));
  return out;
}

/** Triangles of one vertex a cell of a grid: a shape good enough for shadows. */
function coarser(position: Float32Array, index: Uint16Array): number[] {
  const cells = new Map<string, number>();
  const chosen = new Uint16Array(position.length / 3);
  for (let i = 0; i < chosen.length; i++) {
    const key = [0, 1, 2].map((axis) => Math.round(position[3 * i + axis]! / COARSE)).join();
    if (!cells.has(key)) cells.set(key, i);
    chosen[i] = cells.get(key)!;
  }
  const out: number[] = [];
  for (let t = 0; t < index.length; t += 3) {
    const [a, b, c] = [chosen[index[t]!]!, chosen[index[t + 1]!]!, chosen[index[t + 2]!]!];
    if (a !== b && b !== c && c !== a) out.push(a, b, c);
  }
  return out;
}
