// Geometry of one shape of a scene, in the shape's own frame (z along capsules, cylinders and cones, z the normal of planes).
import {
  BoxGeometry,
  type BufferGeometry,
  CapsuleGeometry,
  ConeGeometry,
  CylinderGeometry,
  Matrix4,
  PlaneGeometry,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import type { ShapeMessage } from "./types";

const PLANE_SIZE = 400; // m; the grid fades long before

export function geometryOf(shape: ShapeMessage): BufferGeometry {
  const [a = 0.1, b = 0.1, c = 0.1] = shape.size;
  switch (shape.kind) {
    case "plane":
      return new PlaneGeometry(PLANE_SIZE, PLANE_SIZE);
    case "sphere":
      return new SphereGeometry(a, 40, 24);
    case "capsule":
      return new CapsuleGeometry(a, 2 * b, 12, 32).rotateX(Math.PI / 2);
    case "cylinder":
      return new CylinderGeometry(a, a, 2 * b, 48).rotateX(Math.PI / 2);
    case "cone":
      return new ConeGeometry(a, 2 * b, 48).rotateX(Math.PI / 2);
    case "ellipsoid":
      return new SphereGeometry(1, 40, 24).scale(a, b, c);
    case "box":
      return new BoxGeometry(2 * a, 2 * b, 2 * c);
    case "hull": {
      const points = (shape.points ?? []).map((p) => new Vector3(...p));
      if (points.length < 4) throw new Error(`the hull '${shape.name}' has ${points.length} points, wanted 4 or more`);
      return new ConvexGeometry(points);
    }
    default:
      throw new Error(`the shape '${shape.name}' is of an unknown kind '${String(shape.kind)}'`);
  }
}

/** The shape's frame in its body's frame. */
export function placeOf(shape: ShapeMessage): Matrix4 {
  const [w, x, y, z] = shape.quaternion;
  return new Matrix4().compose(new Vector3(...shape.position), new Quaternion(x, y, z, w), new Vector3(1, 1, 1));
}

/** The pose of body `index` in a frame's poses (x y z qw qx qy qz), written into `out`. */
export function poseOf(poses: Float32Array, index: number, out: Matrix4): Matrix4 {
  const at = index * 7;
  position.set(poses[at]!, poses[at + 1]!, poses[at + 2]!);
  turn.set(poses[at + 4]!, poses[at + 5]!, poses[at + 6]!, poses[at + 3]!).normalize();
  return out.compose(position, turn, one);
}

const position = new Vector3();
const turn = new Quaternion();
const one = new Vector3(1, 1, 1);
