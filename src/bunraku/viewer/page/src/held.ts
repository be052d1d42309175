// Grips of a stage: a ball where a hand holds on, an arrow of the force on the hand, `LONGER` times as long as those of
// contacts, which carry whole figures.
import { Group, SphereGeometry } from "three";
import { Arrows } from "./arrows";
import type { Contacts } from "./contacts";
import { Spots } from "./marks";
import { CONNECTION_COLOR } from "./theme";
import type { HeldMessage } from "./types";

const MOST = 64;
const LONGER = 5;

export class Held {
  readonly group = new Group();
  count = 0;
  private readonly arrows = new Arrows();
  private readonly balls: Spots;

  constructor(private readonly extent: number) {
    this.balls = new Spots(new SphereGeometry(0.012 * extent, 18, 10), CONNECTION_COLOR, MOST, 7);
    this.group.add(this.arrows.group, this.balls.mesh);
  }

  show(grips: readonly HeldMessage[], contacts: Contacts): void {
    const [perNewton, longest] = contacts.scale;
    this.arrows.clear();
    this.balls.clear();
    this.count = Math.min(grips.length, MOST);
    for (const { at, force } of grips.slice(0, MOST)) {
      this.balls.add(...at);
      const length = Math.min(LONGER * Math.hypot(...force) * perNewton, longest);
      this.arrows.add(at, force, length, 0.0042 * this.extent, CONNECTION_COLOR);
    }
    this.arrows.finish();
    this.balls.finish();
  }
}
