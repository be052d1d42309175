// The figures and things: one mesh a shape, moved by the poses of the frame; ghosts are the same shapes, instanced.
import {
  Color,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  type Raycaster,
  SRGBColorSpace,
  type Vector3,
} from "three";
import { geometryOf, placeOf, poseOf } from "./shapes";
import type { Ground } from "./ground";
import { THEMES, type ThemeName } from "./theme";
import type { Frame, SceneMessage } from "./types";

const MOST_GHOSTS = 14;
const LIT = 0x3a2c10; // glow of the body under the pointer
const pose = new Matrix4();

export class Bodies {
  readonly group = new Group();
  readonly ghosts = new Group();
  ghostCount = 0;
  private lit = -1;
  private readonly moving: { mesh: Mesh; body: number; place: Matrix4; ghost: InstancedMesh }[] = [];
  private readonly painted: { material: MeshStandardMaterial; figure: number }[] = [];
  private readonly ghostPaint = new MeshBasicMaterial({ transparent: true, opacity: 0.1, depthWrite: false });

  constructor(scene: SceneMessage, ground: Ground) {
    const names = [...new Set(scene.bodies.map((body) => body.figure ?? ""))];
    for (const shape of scene.shapes) {
      const geometry = geometryOf(shape);
      const place = placeOf(shape);
      const mesh = new Mesh(geometry);
      mesh.matrixAutoUpdate = false;
      mesh.matrix.copy(place);
      mesh.receiveShadow = true;
      mesh.castShadow = shape.kind !== "plane";
      mesh.name = shape.name;
      if (shape.kind === "plane") mesh.material = ground.material;
      else {
        const material = new MeshStandardMaterial({ roughness: 0.62, metalness: 0 });
        if (shape.color) {
          const [r, g, b, a] = shape.color;
          material.color.setRGB(r, g, b, SRGBColorSpace);
          material.opacity = a;
          material.transparent = a < 1;
        } else {
          const figure = shape.body < 0 ? -1 : names.indexOf(scene.bodies[shape.body]?.figure ?? "");
          this.painted.push({ material, figure });
        }
        mesh.material = material;
      }
      this.group.add(mesh);
      if (shape.body < 0) continue;
      const ghost = new InstancedMesh(geometry, this.ghostPaint, MOST_GHOSTS);
      ghost.instanceMatrix.setUsage(DynamicDrawUsage);
      ghost.frustumCulled = false;
      ghost.count = 0;
      this.ghosts.add(ghost);
      this.moving.push({ mesh, body: shape.body, place, ghost });
    }
    this.ghosts.visible = false;
  }

  setTheme(name: ThemeName): void {
    const theme = THEMES[name];
    for (const { material, figure } of this.painted) {
      const paint = figure < 0 ? theme.fixed : theme.figures[figure % theme.figures.length]!;
      material.color.copy(new Color(paint));
    }
    this.ghostPaint.color.setHex(theme.ghost);
  }

  show(frame: Frame): void {
    for (const { mesh, body, place } of this.moving) {
      mesh.matrix.multiplyMatrices(poseOf(frame.poses, body, pose), place);
      mesh.matrixWorldNeedsUpdate = true;
    }
  }

  /** The moving body that a ray meets first, and where. */
  hit(ray: Raycaster): { body: number; point: Vector3 } | null {
    const first = ray.intersectObjects(this.moving.map(({ mesh }) => mesh), false)[0];
    const found = this.moving.find(({ mesh }) => mesh === first?.object);
    return first && found ? { body: found.body, point: first.point } : null;
  }

  /** Light one body up (-1: none); returns whether that is another than before. */
  light(body: number): boolean {
    if (body === this.lit) return false;
    this.lit = body;
    for (const part of this.moving) {
      const material = part.mesh.material as MeshStandardMaterial;
      material.emissive.setHex(part.body === body ? LIT : 0);
    }
    return true;
  }

  /** Ghosts of these frames, at most fourteen of them. */
  haunt(frames: readonly Frame[]): void {
    this.ghostCount = Math.min(frames.length, MOST_GHOSTS);
    for (const { body, place, ghost } of this.moving) {
      for (let i = 0; i < this.ghostCount; i++) {
        poseOf(frames[i]!.poses, body, pose).multiply(place);
        ghost.setMatrixAt(i, pose);
      }
      ghost.count = this.ghostCount;
      ghost.instanceMatrix.needsUpdate = true;
    }
  }
}
