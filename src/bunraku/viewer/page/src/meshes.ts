// Visual meshes of robots: from the bytes of bunraku/viewer/mesh_messages.py to geometries; equal shapes share theirs.
import { BufferAttribute, BufferGeometry, Color, SRGBColorSpace } from "three";
import { geometryOf } from "./shapes";
import type { MeshMessage, ShapeMessage } from "./types";

/** Geometries of shapes, one for all that are equal. */
export class Geometries {
  private readonly known = new Map<string, BufferGeometry>();

  constructor(private readonly meshes: readonly MeshMessage[]) {}

  of(shape: ShapeMessage): BufferGeometry {
    const key = shape.kind === "hull" ? `hull ${JSON.stringify(shape.points)}` : `${shape.kind} ${shape.mesh ?? ""} ${shape.size.join(" ")}`;
    let found = this.known.get(key);
    if (!found) {
      found = shape.kind === "mesh" ? this.mesh(shape) : geometryOf(shape);
      this.known.set(key, found);
    }
    return found;
  }

  private mesh(shape: ShapeMessage): BufferGeometry {
    const message = this.meshes[shape.mesh ?? -1];
    if (!message) throw new Error(`the mesh of '${shape.name}' is not in the scene`);
    return unpacked(message);
  }
}

export function unpacked({ vertices: n, triangles: m, low, high, painted, data }: MeshMessage): BufferGeometry {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0)).buffer;
  const four = (size: number): number => 4 * Math.ceil(size / 4);
  let at = four(6 * n);
  const points = new Uint16Array(bytes, 0, 3 * n);
  const normals = new Int8Array(bytes, at, 3 * n);
  at += four(3 * n);
  const geometry = new BufferGeometry();
  const position = new Float32Array(3 * n);
  for (let i = 0; i < 3 * n; i++) position[i] = low[i % 3]! + ((high[i % 3]! - low[i % 3]!) * points[i]!) / 65535;
  geometry.setAttribute("position", new BufferAttribute(position, 3));
  geometry.setAttribute("normal", new BufferAttribute(Float32Array.from(normals, (x) => x / 127), 3));
  if (painted) {
    const bytesOf = new Uint8Array(bytes, at, 3 * n);
    at += four(3 * n);
    const colors = new Float32Array(3 * n);
    const color = new Color();
    for (let i = 0; i < n; i++) color.setRGB(bytesOf[3 * i]! / 255, bytesOf[3 * i + 1]! / 255, bytesOf[3 * i + 2]! / 255, SRGBColorSpace).toArray(colors, 3 * i);
    geometry.setAttribute("color", new BufferAttribute(colors, 3));
  }
  geometry.setIndex(new BufferAttribute(n <= 65536 ? new Uint16Array(bytes, at, 3 * m) : new Uint32Array(bytes, at, 3 * m), 1));
  return geometry;
}
