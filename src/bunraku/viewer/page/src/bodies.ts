// The figures and things: one mesh a shape, moved by the poses of the frame. Their ghosts are in ghosts.ts.
import {
  Color,
  Group,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  type Raycaster,
  SRGBColorSpace,
  type Vector3,
} from "three";
import { type Crowd, crowds } from "./crowd";
import { Ghosts } from "./ghosts";
import { Geometries } from "./meshes";
import { placeOf, poseOf } from "./shapes";
import { Skin } from "./skin";
import type { Ground } from "./ground";
import { THEMES, type ThemeName } from "./theme";
import type { Frame, SceneMessage } from "./types";

const LIT = 0x3a2c10; // glow of the body under the pointer
const pose = new Matrix4();

interface Part {
  mesh: Mesh;
  body: number;
  place: Matrix4; // in the body's frame
}

export class Bodies {
  readonly group = new Group();
  /** Many equal shapes at once. */
  readonly crowd = new Group();
  readonly ghosts: Ghosts;
  private lit = -1;
  /** What shows or hides shapes for which a skin stands: the layer "shapes". */
  readonly physics = new Group();
  readonly skins: Skin[];
  private readonly moving: Part[] = [];
  private readonly unseen: ReadonlySet<Mesh>; // those that are shown only now and then
  private last: Frame | null = null;
  private readonly fixed: Mesh[] = []; // floor, stairs, boxes
  private readonly covered: Mesh[] = [];
  private readonly touching: Mesh[] = []; // collision shapes of figures that show others
  private readonly dressed: Mesh[] = []; // what these others are
  private readonly crowds: Crowd[];
  private readonly painted: { material: MeshStandardMaterial; figure: number }[] = [];

  /** `changed`: told when a skin has come. */
  constructor(scene: SceneMessage, ground: Ground, changed: () => void = () => {}) {
    const names = [...new Set(scene.bodies.map((body) => body.figure ?? ""))];
    const geometries = new Geometries(scene.meshes ?? []);
    const collide = new Set(scene.shapes.filter((s) => s.role === "collision").map((s) => scene.bodies[s.body]?.figure));
    for (const shape of scene.shapes) {
      const geometry = geometries.of(shape);
      const place = placeOf(shape);
      const mesh = new Mesh(geometry);
      mesh.matrixAutoUpdate = false;
      mesh.matrix.copy(place);
      mesh.receiveShadow = true;
      mesh.castShadow = shape.kind !== "plane";
      mesh.name = shape.name;
      if (shape.kind === "plane") mesh.material = ground.material;
      else {
        const material = new MeshStandardMaterial({ roughness: 0.62, metalness: 0, vertexColors: geometry.hasAttribute("color") });
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
      if (shape.body < 0) {
        this.fixed.push(mesh);
        continue;
      }
      this.moving.push({ mesh, body: shape.body, place });
      if (shape.skinned) this.covered.push(mesh);
      else if (shape.role === "collision") this.touching.push(mesh);
      else if (collide.has(scene.bodies[shape.body]?.figure)) this.dressed.push(mesh);
    }
    for (const mesh of this.touching) mesh.visible = false;
    const apart = new Set([...this.covered, ...this.touching, ...this.dressed]);
    this.crowds = crowds(this.moving.map(({ mesh }) => mesh).filter((mesh) => !apart.has(mesh)));
    for (const { drawn } of this.crowds) this.crowd.add(drawn);
    this.unseen = apart;
    this.skins = (scene.skins ?? []).map((message) => new Skin(message, () => this.dress(changed)));
    this.physics.visible = false;
    const seen = this.moving.filter(({ mesh }) => !this.touching.includes(mesh));
    this.ghosts = new Ghosts(seen.map(({ mesh, body, place }) => ({ geometry: mesh.geometry, body, place })));
  }

  /** Skins, or the shapes below them where these are wanted or a skin is not there yet. */
  dress(changed: () => void = () => {}): void {
    this.putUnseen();
    const bare = this.physics.visible || !this.skins.every(({ ready }) => ready);
    for (const mesh of this.covered) mesh.visible = bare;
    for (const mesh of this.touching) mesh.visible = this.physics.visible;
    for (const mesh of this.dressed) mesh.visible = !this.physics.visible;
    for (const skin of this.skins) {
      if (!skin.group.parent) this.group.add(skin.group);
      skin.group.visible = !bare;
    }
    changed();
  }

  setTheme(name: ThemeName): void {
    const theme = THEMES[name];
    for (const { material, figure } of this.painted) {
      const paint = figure < 0 ? theme.fixed : theme.figures[figure % theme.figures.length]!;
      material.color.copy(new Color(paint));
    }
    for (const crowd of this.crowds) crowd.paint();
    this.ghosts.paint(theme.ghost);
  }

  show(frame: Frame): void {
    const first = this.last === null;
    this.last = frame;
    for (const part of this.moving) if (first || part.mesh.visible || !this.unseen.has(part.mesh)) put(part, frame);
    for (const crowd of this.crowds) crowd.move();
    for (const skin of this.skins) skin.show(frame);
  }

  /** The moving body that a ray meets first, and where. */
  hit(ray: Raycaster, counts: (body: number) => boolean = () => true): { body: number; point: Vector3 } | null {
    this.putUnseen();
    const first = ray.intersectObjects(this.moving.filter(({ body }) => counts(body)).map(({ mesh }) => mesh), false)[0];
    const found = this.moving.find(({ mesh }) => mesh === first?.object);
    return first && found ? { body: found.body, point: first.point } : null;
  }

  /** Shapes that are not seen are put where they are only when that is asked. */
  private putUnseen(): void {
    if (!this.last) return;
    for (const part of this.moving) {
      if (part.mesh.visible || !this.unseen.has(part.mesh)) continue;
      put(part, this.last);
      part.mesh.updateMatrixWorld();
    }
  }

  /** Where a ray meets the floor, stairs or boxes. */
  floor(ray: Raycaster): Vector3 | null {
    return ray.intersectObjects(this.fixed, false)[0]?.point ?? null;
  }

  /** Light one body up (-1: none); returns whether that is another than before. */
  light(body: number): boolean {
    if (body === this.lit) return false;
    this.lit = body;
    for (const skin of this.skins) skin.light(body);
    for (const part of this.moving) {
      const material = part.mesh.material as MeshStandardMaterial;
      material.emissive.setHex(part.body === body ? LIT : 0);
    }
    for (const crowd of this.crowds) crowd.light((mesh) => this.moving.some((part) => part.mesh === mesh && part.body === body));
    return true;
  }
}

/** A shape where a frame has its body. */
function put({ mesh, body, place }: Part, frame: Frame): void {
  mesh.matrix.multiplyMatrices(poseOf(frame.poses, body, pose), place);
  mesh.matrixWorldNeedsUpdate = true;
}
