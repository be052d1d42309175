// The picture where there is no WebGL: each shape's outline, filled, the farthest first, over a grid. Plain, but everything that moves is seen.
import { Box3, Color, Mesh, type MeshStandardMaterial, type PerspectiveCamera, type Scene, Vector3 } from "three";
import { hex } from "./dom";
import { hullFromAbove } from "./polygon";
import type { Theme } from "./theme";
import type { Vec3 } from "./types";

const MOST_POINTS = 160; // of a shape, for its outline
const LARGEST = 20; // m; what is larger is ground

interface Outline {
  away: number;
  corners: Vec3[];
  paint: string;
}

export class FlatPicture {
  private readonly context: CanvasRenderingContext2D | null;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d");
  }

  draw(scene: Scene, camera: PerspectiveCamera, theme: Theme): void {
    const pen = this.context;
    if (!pen) return;
    scene.updateMatrixWorld();
    camera.updateMatrixWorld();
    pen.fillStyle = hex(theme.sky);
    pen.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.grid(pen, camera, theme);
    const outlines: Outline[] = [];
    scene.traverseVisible((thing) => {
      const found = thing instanceof Mesh && thing.castShadow ? this.outline(thing, camera) : null;
      if (found) outlines.push(found);
    });
    outlines.sort((a, b) => b.away - a.away);
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 1;
    for (const { corners, paint } of outlines) {
      pen.fillStyle = paint;
      pen.beginPath();
      for (const [x, y] of corners) pen.lineTo(x, y);
      pen.closePath();
      pen.fill();
      pen.stroke();
    }
  }

  /** Where a point is seen, in pixels; null behind the camera. */
  private seen(at: Vector3, camera: PerspectiveCamera): Vec3 | null {
    at.project(camera);
    if (!(Math.abs(at.z) <= 1)) return null;
    return [(0.5 + 0.5 * at.x) * this.canvas.width, (0.5 - 0.5 * at.y) * this.canvas.height, 0];
  }

  private outline(mesh: Mesh, camera: PerspectiveCamera): Outline | null {
    const size = new Box3().setFromBufferAttribute(mesh.geometry.getAttribute("position") as never).getSize(new Vector3());
    if (Math.max(size.x, size.y, size.z) > LARGEST) return null;
    const points = mesh.geometry.getAttribute("position");
    const stride = Math.max(1, Math.floor(points.count / MOST_POINTS));
    const found: Vec3[] = [];
    const at = new Vector3();
    for (let i = 0; i < points.count; i += stride) {
      const seen = this.seen(at.fromBufferAttribute(points, i).applyMatrix4(mesh.matrixWorld), camera);
      if (seen) found.push(seen);
    }
    const corners = hullFromAbove(found);
    if (corners.length < 3) return null;
    const color = (mesh.material as MeshStandardMaterial).color ?? new Color(0x888888);
    const away = at.setFromMatrixPosition(mesh.matrixWorld).distanceTo(camera.position);
    return { away, corners, paint: `#${color.getHexString()}` };
  }

  private grid(pen: CanvasRenderingContext2D, camera: PerspectiveCamera, theme: Theme): void {
    pen.strokeStyle = hex(theme.line);
    pen.lineWidth = 1;
    const [middleX, middleY] = [Math.round(camera.position.x), Math.round(camera.position.y)];
    const at = new Vector3();
    for (let k = -12; k <= 12; k++) {
      for (const across of [false, true]) {
        pen.beginPath();
        let down = false;
        for (let l = -12; l <= 12; l++) {
          const seen = this.seen(across ? at.set(middleX + l, middleY + k, 0) : at.set(middleX + k, middleY + l, 0), camera);
          if (seen && down) pen.lineTo(seen[0], seen[1]);
          else if (seen) pen.moveTo(seen[0], seen[1]);
          down = seen !== null;
        }
        pen.stroke();
      }
    }
  }
}
