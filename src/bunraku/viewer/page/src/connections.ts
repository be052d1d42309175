// Pins and connections: a line from the one point to the other with a bead at each end; springs zigzag, and where a
// connection holds on to the world there is a pin, a diamond. In a recording each is shown while it held.
import { Group, Matrix4, OctahedronGeometry, SphereGeometry, Vector3 } from "three";
import { Segments } from "./lines";
import { seenThrough, Spots } from "./marks";
import { poseOf } from "./shapes";
import { CONNECTION_COLOR } from "./theme";
import type { ConnectionMessage, Frame, Vec3 } from "./types";

const TURNS = 12; // corners of a spring
const SAME = 1e-6; // s

export class Connections {
  readonly group = new Group();
  count = 0; // of those that hold in the frame shown
  pins = 0; // of these, those held by the world
  private readonly diamonds: Spots;
  private readonly balls: Spots;
  private readonly lines = new Segments(2.2);
  private readonly pose = new Matrix4();
  private readonly across = new Vector3();

  constructor(
    private readonly messages: readonly ConnectionMessage[],
    private readonly extent: number,
  ) {
    const most = Math.max(2 * messages.length, 1);
    this.diamonds = new Spots(new OctahedronGeometry(0.017 * extent), CONNECTION_COLOR, most, 7);
    this.balls = new Spots(new SphereGeometry(0.009 * extent, 18, 10), CONNECTION_COLOR, most, 7);
    seenThrough(this.lines.line.material); // hands hold on inside of things
    this.lines.line.renderOrder = 6;
    this.group.add(this.diamonds.mesh, this.balls.mesh, this.lines.line);
  }

  show(frame: Frame): void {
    this.count = this.pins = 0;
    const parts = [this.diamonds, this.balls, this.lines];
    for (const part of parts) part.clear();
    for (const { kind, from = -Infinity, to, body_a, body_b, point_a, point_b } of this.messages) {
      if (from > frame.time + SAME || frame.time + SAME >= (to ?? Infinity)) continue;
      this.count += 1;
      if (body_a < 0 || body_b < 0) this.pins += 1;
      const [a, b] = [this.end(frame, body_a, point_a), this.end(frame, body_b, point_b)];
      if (kind === "spring") this.zigzag(a, b);
      else this.lines.add(a.toArray(), b.toArray(), CONNECTION_COLOR);
    }
    for (const part of parts) part.finish();
  }

  /** Straight ends, corners by turns to both sides between them. */
  private zigzag(a: Vector3, b: Vector3): void {
    const along = b.clone().sub(a);
    const upright = Math.abs(along.z) > 0.9 * along.length();
    const side = new Vector3().crossVectors(along, upright ? new Vector3(1, 0, 0) : new Vector3(0, 0, 1));
    this.across.crossVectors(along, side).normalize().multiplyScalar(0.018 * this.extent);
    let before = a.toArray();
    for (let i = 1; i < TURNS + 2; i++) {
      const part = i > TURNS ? 1 : 0.15 + (0.7 * (i - 1)) / (TURNS - 1);
      const sway = i > TURNS ? 0 : i % 2 ? 1 : -1;
      const p = a.clone().addScaledVector(along, part).addScaledVector(this.across, sway).toArray();
      this.lines.add(before, p, CONNECTION_COLOR);
      before = p;
    }
  }

  /** Where an end is; it is marked. */
  private end(frame: Frame, body: number, point: Vec3): Vector3 {
    const out = new Vector3(...point);
    if (body >= 0) out.applyMatrix4(poseOf(frame.poses, body, this.pose));
    (body < 0 ? this.diamonds : this.balls).add(...out.toArray());
    return out;
  }
}
