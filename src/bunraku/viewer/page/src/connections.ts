// Connections between bodies: a link drawn from the one point to the other, with a bead at each end.
import { Group, Matrix4, Mesh, Vector3 } from "three";
import { ball, Path } from "./marks";
import { poseOf } from "./shapes";
import { CONNECTION_COLOR } from "./theme";
import type { ConnectionMessage, Frame, SceneMessage } from "./types";

export class Connections {
  readonly group = new Group();
  private readonly ties: { message: ConnectionMessage; ends: [Mesh, Mesh]; line: Path }[];
  private readonly pose = new Matrix4();

  constructor(scene: SceneMessage, extent: number) {
    this.ties = (scene.connections ?? []).map((message) => {
      const ends: [Mesh, Mesh] = [ball(CONNECTION_COLOR, 0.009 * extent), ball(CONNECTION_COLOR, 0.009 * extent)];
      const line = new Path(CONNECTION_COLOR, 4);
      this.group.add(...ends, line.line);
      return { message, ends, line };
    });
  }

  get count(): number {
    return this.ties.length;
  }

  show(frame: Frame): void {
    for (const { message, ends, line } of this.ties) {
      const a = this.place(frame, message.body_a ?? -1, message.point_a ?? [0, 0, 0], ends[0].position);
      const b = this.place(frame, message.body_b ?? -1, message.point_b ?? message.point_a ?? [0, 0, 0], ends[1].position);
      line.set(2, (i) => (i ? [b.x, b.y, b.z] : [a.x, a.y, a.z]));
    }
  }

  private place(frame: Frame, body: number, point: [number, number, number], out: Vector3): Vector3 {
    out.set(...point);
    return body < 0 ? out : out.applyMatrix4(poseOf(frame.poses, body, this.pose));
  }
}
