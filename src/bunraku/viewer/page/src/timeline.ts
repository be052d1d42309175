// The transport: play, pause, step, speed, and the time line to scrub.
import { byId, icon, put } from "./dom";
import type { Source } from "./source";
import { say } from "./words";

export const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

export class Timeline {
  private readonly slider = byId<HTMLInputElement>("timeline");
  private readonly clock = byId("clock");
  private readonly button = byId<HTMLButtonElement>("play");
  private readonly speed = byId<HTMLSelectElement>("speed");
  private shown = ""; // beginning, end and present
  private showsPause: boolean | null = null;

  constructor(private readonly source: () => Source | null) {
    byId("back").append(icon("back"));
    byId("forward").append(icon("forward"));
    this.speed.append(...SPEEDS.map((value) => new Option(`${value} ×`, String(value))));
    this.button.onclick = () => this.toggle();
    byId("back").onclick = () => this.source()?.step(-1);
    byId("forward").onclick = () => this.source()?.step(1);
    this.slider.oninput = () => {
      this.shown = ""; // it may be refused
      this.source()?.seek(Number(this.slider.value));
    };
    this.speed.onchange = () => this.source()?.setSpeed(Number(this.speed.value));
  }

  toggle(): void {
    const source = this.source();
    if (source?.playing) source.pause();
    else source?.play();
  }

  /** One notch faster or slower. */
  shift(notches: number): void {
    const source = this.source();
    if (!source) return;
    const here = SPEEDS.reduce((best, value, i) => (Math.abs(value - source.speed) < Math.abs(SPEEDS[best]! - source.speed) ? i : best), 0);
    source.setSpeed(SPEEDS[Math.min(Math.max(here + notches, 0), SPEEDS.length - 1)]!);
  }

  show(source: Source): void {
    const [start, end] = source.range;
    const times = `${start} ${end} ${source.time}`;
    if (times !== this.shown) {
      this.shown = times;
      this.slider.min = String(start);
      this.slider.max = String(end > start ? end : start + 1);
      this.slider.value = String(source.time);
      put(this.clock, `${source.time.toFixed(2)} / ${end.toFixed(2)} s`);
    }
    if (this.showsPause !== source.playing) {
      this.showsPause = source.playing;
      this.button.replaceChildren(icon(source.playing ? "pause" : "play"));
      this.button.dataset.wordLabel = source.playing ? "pause" : "play";
      this.button.setAttribute("aria-label", say(source.playing ? "pause" : "play"));
    }
    const known = SPEEDS.includes(source.speed);
    if (!known && !this.speed.querySelector(`option[value="${source.speed}"]`)) {
      this.speed.append(new Option(`${source.speed} ×`, String(source.speed)));
    }
    if (document.activeElement !== this.speed || this.speed.value !== String(source.speed)) {
      this.speed.value = String(source.speed);
    }
  }
}
