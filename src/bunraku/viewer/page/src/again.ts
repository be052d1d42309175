// Going back and on: restart, loop, "go on from here" of a world's past, and the badge of a world slower than it should be.
import { byId, icon, put } from "./dom";
import type { Source } from "./source";
import { say } from "./words";

const KEPT_UP = 0.95; // of the speed asked for: what is slower is said

export class Again {
  private readonly goOn = byId<HTMLButtonElement>("go-on");
  private readonly loop = byId<HTMLButtonElement>("loop");
  private readonly restart = byId<HTMLButtonElement>("restart");
  private readonly rate = byId("rate");

  constructor(private readonly source: () => Source | null) {
    this.restart.append(icon("restart"));
    this.loop.append(icon("loop"));
    this.restart.onclick = () => this.source()?.restart();
    this.loop.onclick = () => this.source()?.setLoop(!this.source()!.loop);
    this.goOn.onclick = () => this.source()?.goOn();
  }

  show(source: Source): void {
    this.loop.hidden = source.live;
    this.loop.setAttribute("aria-pressed", String(source.loop));
    const past = source.past;
    this.goOn.hidden = past === null;
    if (past !== null) put(this.goOn, say("go-on", { time: past.toFixed(2) }));
    const slow = source.playing && source.rate !== null && source.rate < KEPT_UP * source.speed;
    this.rate.hidden = !slow;
    if (slow) put(this.rate, say("rate", { rate: Number(source.rate!.toPrecision(2)) }));
  }
}
