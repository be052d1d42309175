// Crowds: many equal moving shapes, boxes of a wall say, in one draw. Each has a mesh of its own, too, which is asked where it is and what it is
// painted with, is met by the pointer's ray, and is drawn itself while it is lit up.
import { DynamicDrawUsage, InstancedMesh, Matrix4, type Mesh, MeshStandardMaterial } from "three";

export const CROWD = 6; // equal shapes that are worth it
const nowhere = new Matrix4().makeScale(0, 0, 0);

export class Crowd {
  readonly drawn: InstancedMesh;

  constructor(private readonly members: readonly Mesh[]) {
    const first = members[0]!.material as MeshStandardMaterial;
    const material = new MeshStandardMaterial({ roughness: first.roughness, metalness: first.metalness, vertexColors: first.vertexColors });
    this.drawn = new InstancedMesh(members[0]!.geometry, material, members.length);
    this.drawn.instanceMatrix.setUsage(DynamicDrawUsage);
    this.drawn.castShadow = this.drawn.receiveShadow = true;
    this.drawn.frustumCulled = false;
    for (const mesh of members) mesh.visible = false;
    this.paint();
  }

  /** Take the colours of the members. */
  paint(): void {
    this.members.forEach((mesh, k) => this.drawn.setColorAt(k, (mesh.material as MeshStandardMaterial).color));
    this.drawn.instanceColor!.needsUpdate = true;
  }

  /** Draw by themselves those that are lit. */
  light(lit: (mesh: Mesh) => boolean): void {
    for (const mesh of this.members) mesh.visible = lit(mesh);
    this.move();
  }

  /** Take the places of the members. */
  move(): void {
    this.members.forEach((mesh, k) => this.drawn.setMatrixAt(k, mesh.visible ? nowhere : mesh.matrix));
    this.drawn.instanceMatrix.needsUpdate = true;
  }
}

/** Groups of at least CROWD meshes with one geometry, opaque. */
export function crowds(meshes: readonly Mesh[]): Crowd[] {
  const groups = new Map<string, Mesh[]>();
  for (const mesh of meshes) {
    const { transparent, vertexColors } = mesh.material as MeshStandardMaterial;
    if (transparent) continue;
    const key = `${mesh.geometry.uuid} ${vertexColors}`;
    groups.set(key, [...(groups.get(key) ?? []), mesh]);
  }
  return [...groups.values()].filter((group) => group.length >= CROWD).map((group) => new Crowd(group));
}
