// Pins and connections: a line from the one point to the other with a bead at each end; springs zigzag, and where a
// connection holds on to the world there is a pin, a diamond. In a recording each is shown while it held.
import { Group, Matrix4, Mesh, Vector3 } from "three";
import { ball, diamond, Path, seenThrough } from "./marks";
import { poseOf } from "./shapes";
import { CONNECTION_COLOR } from "./theme";
import type { ConnectionMessage, Frame, Vec3 } from "./types";

const TURNS = 12; // corners of a spring
const SAME = 1e-6; // s

interface Tie {
  message: ConnectionMessage;
  group: Group;
  ends: [Mesh, Mesh];
  line: Path;
}

export class Connections {
  readonly group = new Group();
  count = 0; // of those that hold in the frame shown
  pins = 0; // of these, those held by the world
  private readonly ties: Tie[];
  private readonly pose = new Matrix4();
  private readonly across = new Vector3();

  constructor(
    messages: readonly ConnectionMessage[],
    private readonly extent: number,
  ) {
    this.ties = messages.map((message) => {
      const end = (body: number) => (body < 0 ? diamond(CONNECTION_COLOR, 0.017 * extent) : ball(CONNECTION_COLOR, 0.009 * extent));
      const ends: [Mesh, Mesh] = [end(message.body_a), end(message.body_b)];
      const line = new Path(CONNECTION_COLOR, TURNS + 4);
      seenThrough(line.line.material); // hands hold on inside of things
      line.line.renderOrder = 6;
      const group = new Group().add(...ends, line.line);
      this.group.add(group);
      return { message, group, ends, line };
    });
  }

  show(frame: Frame): void {
    this.count = this.pins = 0;
    for (const { message, group, ends, line } of this.ties) {
      const { from = -Infinity, to } = message;
      group.visible = from <= frame.time + SAME && frame.time + SAME < (to ?? Infinity);
      if (!group.visible) continue;
      this.count += 1;
      if (message.body_a < 0 || message.body_b < 0) this.pins += 1;
      const a = this.place(frame, message.body_a, message.point_a, ends[0].position);
      const b = this.place(frame, message.body_b, message.point_b, ends[1].position);
      if (message.kind === "spring") this.zigzag(line, a, b);
      else line.set(2, (i) => (i ? [b.x, b.y, b.z] : [a.x, a.y, a.z]));
    }
  }

  /** Straight ends, corners by turns to both sides between them. */
  private zigzag(line: Path, a: Vector3, b: Vector3): void {
    const along = b.clone().sub(a);
    const upright = Math.abs(along.z) > 0.9 * along.length();
    const side = new Vector3().crossVectors(along, upright ? new Vector3(1, 0, 0) : new Vector3(0, 0, 1));
    this.across.crossVectors(along, side).normalize().multiplyScalar(0.018 * this.extent);
    line.set(TURNS + 2, (i) => {
      const part = i === 0 ? 0 : i > TURNS ? 1 : 0.15 + (0.7 * (i - 1)) / (TURNS - 1);
      const sway = i === 0 || i > TURNS ? 0 : i % 2 ? 1 : -1;
      const p = a.clone().addScaledVector(along, part).addScaledVector(this.across, sway);
      return [p.x, p.y, p.z];
    });
  }

  private place(frame: Frame, body: number, point: Vec3, out: Vector3): Vector3 {
    out.set(...point);
    return body < 0 ? out : out.applyMatrix4(poseOf(frame.poses, body, this.pose));
  }
}
