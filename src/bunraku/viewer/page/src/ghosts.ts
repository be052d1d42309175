// Ghosts: other moments of the motion as pale shells. All shapes of all ghosts are one instanced draw: each vertex knows its shape, a texture
// holds the matrices (a row a ghost, four texels a shape). First their depth alone is written, then their colour where they are nearest: a pixel
// is tinted once, whatever lies behind it, so nothing speckles or piles up. They lie a little behind the solid figure, and a ghost that hardly
// differs from another one or from the present is left out; older and later ones fade.
import { BufferAttribute, BufferGeometry, Color, DataTexture, FloatType, Group, InstancedBufferGeometry, Matrix4, Mesh, NearestFilter, RGBAFormat, ShaderMaterial } from "three";
import { poseOf } from "./shapes";
import { POSE, type Frame } from "./types";

export const MOST_GHOSTS = 14;
const APART = 0.04; // m: the least that some body of a ghost is away from its place in another
const STRONGEST = 0.34; // opacity of a ghost next to the present
const FAINTEST = 0.12;

const VERTEX = `
attribute float part;
uniform sampler2D matrices;
uniform float fade[${MOST_GHOSTS}];
varying float strength;
varying vec3 way;
void main() {
  int row = gl_InstanceID;
  int at = 4 * int(part + 0.5);
  mat4 m = mat4(texelFetch(matrices, ivec2(at, row), 0), texelFetch(matrices, ivec2(at + 1, row), 0),
                texelFetch(matrices, ivec2(at + 2, row), 0), texelFetch(matrices, ivec2(at + 3, row), 0));
  strength = fade[row];
  way = mat3(viewMatrix) * mat3(m) * normal;
  gl_Position = projectionMatrix * viewMatrix * m * vec4(position, 1.0);
}`;

const FRAGMENT = `
uniform vec3 color;
varying float strength;
varying vec3 way;
void main() {
  float facing = abs(normalize(way).z);
  gl_FragColor = vec4(color, strength * (0.55 + 0.75 * pow(1.0 - facing, 1.5))); // edges stronger: a shell
  #include <colorspace_fragment>
}`;

export class Ghosts {
  readonly group = new Group();
  count = 0;
  private readonly data: Float32Array;
  private readonly texture: DataTexture;
  private readonly geometry: InstancedBufferGeometry;
  private readonly color = { value: new Color() };
  private readonly fade = { value: new Float32Array(MOST_GHOSTS) };
  private readonly matrix = new Matrix4();

  /** `parts`: each moving shape, its body and its place in the body's frame. */
  constructor(private readonly parts: readonly { geometry: BufferGeometry; body: number; place: Matrix4 }[]) {
    const wide = Math.max(4 * parts.length, 4);
    this.data = new Float32Array(4 * wide * MOST_GHOSTS);
    this.texture = new DataTexture(this.data, wide, MOST_GHOSTS, RGBAFormat, FloatType);
    this.texture.magFilter = this.texture.minFilter = NearestFilter;
    this.geometry = merged(parts.map(({ geometry }) => geometry));
    this.geometry.instanceCount = 0;
    const uniforms = { matrices: { value: this.texture }, color: this.color, fade: this.fade };
    const shared = { uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 8 };
    const depth = new Mesh(this.geometry, new ShaderMaterial({ ...shared, colorWrite: false }));
    const paint = new Mesh(this.geometry, new ShaderMaterial({ ...shared, depthWrite: false }));
    [depth.renderOrder, paint.renderOrder] = [1, 2]; // after the ground, before the marks
    for (const mesh of [depth, paint]) {
      mesh.frustumCulled = false;
      this.group.add(mesh);
    }
    this.group.visible = false;
  }

  paint(color: number): void {
    this.color.value.setHex(color);
  }

  /** Ghosts of these frames that differ from one another and from the frame `now`; fading with their distance in time. */
  haunt(frames: readonly Frame[], now: Frame): void {
    const chosen: Frame[] = [];
    for (const frame of frames) {
      if (chosen.length < MOST_GHOSTS && [now, ...chosen].every((other) => differs(frame, other))) chosen.push(frame);
    }
    const span = Math.max(...chosen.map(({ time }) => Math.abs(time - now.time)), 1e-9);
    const wide = this.texture.image.width;
    chosen.forEach((frame, row) => {
      this.fade.value[row] = STRONGEST - (STRONGEST - FAINTEST) * (Math.abs(frame.time - now.time) / span);
      this.parts.forEach(({ body, place }, k) => {
        poseOf(frame.poses, body, this.matrix).multiply(place).toArray(this.data, 4 * (row * wide + 4 * k));
      });
    });
    this.texture.needsUpdate = true;
    this.count = this.geometry.instanceCount = chosen.length;
  }
}

/** Whether some body has moved since. */
function differs(a: Frame, b: Frame): boolean {
  for (let at = 0; at < a.poses.length; at += POSE) {
    const [x, y, z] = [0, 1, 2].map((k) => a.poses[at + k]! - b.poses[at + k]!) as [number, number, number];
    if (x * x + y * y + z * z > APART * APART) return true;
  }
  return false;
}

/** One geometry of many, each vertex with the number of its part. */
function merged(parts: readonly BufferGeometry[]): InstancedBufferGeometry {
  const sizes = parts.map((part) => part.getAttribute("position").count);
  const total = sizes.reduce((a, b) => a + b, 0);
  const [position, normal, number] = [new Float32Array(3 * total), new Float32Array(3 * total), new Float32Array(total)];
  const index: number[] = [];
  let first = 0;
  parts.forEach((part, k) => {
    const [points, normals] = [part.getAttribute("position"), part.getAttribute("normal")];
    for (let i = 0; i < points.count; i++) {
      for (let axis = 0; axis < 3; axis++) {
        position[3 * (first + i) + axis] = points.getComponent(i, axis);
        normal[3 * (first + i) + axis] = normals ? normals.getComponent(i, axis) : 0;
      }
      number[first + i] = k;
    }
    const order = part.getIndex();
    for (let i = 0; i < (order?.count ?? points.count); i++) index.push(first + (order ? order.getX(i) : i));
    first += points.count;
  });
  const out = new InstancedBufferGeometry();
  out.setAttribute("position", new BufferAttribute(position, 3));
  out.setAttribute("normal", new BufferAttribute(normal, 3));
  out.setAttribute("part", new BufferAttribute(number, 1));
  out.setIndex(index);
  return out;
}
