// Force arrows: instanced shafts and heads along z, one instance an arrow. They are drawn twice: solid, and faintly over
// everything, so that an arrow inside a leg can be seen.
import {
  Color,
  ConeGeometry,
  CylinderGeometry,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Quaternion,
  Vector3,
} from "three";
import { sendFirst } from "./marks";
import type { Vec3 } from "./types";

const MOST = 512;
const UP = new Vector3(0, 0, 1);

export class Arrows {
  readonly group = new Group();
  count = 0;
  private readonly shafts: InstancedMesh;
  private readonly heads: InstancedMesh;
  private readonly shades: InstancedMesh[];
  private readonly m = new Matrix4();
  private readonly q = new Quaternion();
  private readonly along = new Vector3();
  private readonly at = new Vector3();
  private readonly paint = new Color();

  constructor() {
    const material = new MeshStandardMaterial({ roughness: 0.5 });
    const shaft = new CylinderGeometry(1, 1, 1, 10, 1, true).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const head = new ConeGeometry(1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    this.shafts = new InstancedMesh(shaft, material, MOST);
    this.heads = new InstancedMesh(head, material, MOST);
    const faint = new MeshBasicMaterial({ transparent: true, opacity: 0.5, depthTest: false, depthWrite: false });
    this.shades = [this.shafts, this.heads].map((mesh) => {
      mesh.setColorAt(0, this.paint);
      const shade = new InstancedMesh(mesh.geometry, faint, MOST);
      shade.instanceMatrix = mesh.instanceMatrix;
      shade.instanceColor = mesh.instanceColor;
      shade.renderOrder = 5;
      return shade;
    });
    for (const mesh of [this.shafts, this.heads, ...this.shades]) {
      mesh.frustumCulled = false;
      mesh.count = 0;
      this.group.add(mesh);
    }
  }

  clear(): void {
    this.count = 0;
  }

  /** An arrow from `start` along `force` of the given length and thickness (m); too short ones are left out. */
  add(start: Vec3, force: Vec3, length: number, thick: number, color: number): void {
    if (this.count >= MOST || !(length > 2 * thick)) return;
    const head = Math.min(6 * thick, 0.5 * length);
    this.along.set(...force).normalize();
    this.q.setFromUnitVectors(UP, this.along);
    this.at.set(...start);
    this.m.compose(this.at, this.q, new Vector3(thick, thick, length - head));
    this.shafts.setMatrixAt(this.count, this.m);
    this.at.addScaledVector(this.along, length - head);
    this.m.compose(this.at, this.q, new Vector3(2.6 * thick, 2.6 * thick, head));
    this.heads.setMatrixAt(this.count, this.m);
    this.paint.setHex(color);
    this.shafts.setColorAt(this.count, this.paint);
    this.heads.setColorAt(this.count, this.paint);
    this.count += 1;
  }

  finish(): void {
    for (const mesh of this.shades) mesh.count = this.count;
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = this.count;
      sendFirst(mesh.instanceMatrix, 16 * this.count);
      sendFirst(mesh.instanceColor!, 3 * this.count);
    }
  }
}
