// Where frames come from, as the rest of the page sees it: a recording held by the page, or a live server.
import { frameAt } from "./frames";
import type { Frame, SceneMessage } from "./types";

export interface Source {
  readonly scene: SceneMessage | null;
  readonly frames: readonly Frame[]; // in order of time; live: the latest stretch
  readonly playing: boolean;
  readonly speed: number;
  readonly time: number;
  readonly range: [number, number]; // s, what the time line spans
  readonly index: number; // of the frame to show, -1 while there is none
  readonly connected: boolean;
  readonly remote: boolean; // frames come from a server
  readonly live: boolean; // a running world: frames go on, without an end
  readonly message: string | null; // what went wrong, for the banner
  readonly noted: boolean; // it is but a word to this viewer
  readonly waiting: boolean; // it begins when a page is ready
  readonly rate: number | null; // times real time, as it goes; null where that is not known
  readonly loop: boolean; // again and again
  readonly past: number | null; // time shown of a world's past, from which it can go on
  ready(): void; // a picture is drawn
  play(): void;
  pause(): void;
  restart(): void; // play from the beginning
  goOn(): void; // the world, from the time shown
  setLoop(on: boolean): void;
  step(n: number): void; // frames as they are displayed
  fine(n: number): void; // single steps, or frames as they were recorded
  setSpeed(value: number): void;
  seek(time: number): void;
  advance(seconds: number): void; // real time passed
}

/** A recording inside the page: time runs here. */
export class Embedded implements Source {
  playing = false;
  speed = 1;
  time: number;
  readonly connected = true;
  readonly remote = false;
  readonly live = false;
  readonly message = null;
  readonly noted = false;
  readonly waiting = false;
  readonly rate = null;
  readonly past = null;
  loop: boolean;
  private begun = false;
  readonly range: [number, number];

  constructor(
    readonly scene: SceneMessage,
    readonly frames: readonly Frame[],
  ) {
    if (!frames.length) throw new Error("the page holds no frames; export the recording again");
    this.range = [frames[0]!.time, frames[frames.length - 1]!.time];
    this.time = this.range[0];
    this.loop = scene.loop ?? false;
  }

  /** It plays by itself, unless its maker or the reader (who prefers less motion) does not want it. */
  ready(): void {
    if (this.begun) return;
    this.begun = true;
    if (this.scene.play !== false && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play();
  }

  get index(): number {
    return frameAt(this.frames, this.time);
  }

  play(): void {
    if (this.time >= this.range[1]) this.time = this.range[0];
    this.playing = true;
  }

  pause(): void {
    this.playing = false;
  }

  restart(): void {
    this.time = this.range[0];
    this.playing = true;
  }

  goOn(): void {}

  setLoop(on: boolean): void {
    this.loop = on;
  }

  fine(n: number): void {
    this.step(n);
  }

  step(n: number): void {
    this.pause();
    const next = Math.min(Math.max(this.index + n, 0), this.frames.length - 1);
    this.time = this.frames[next]!.time;
  }

  setSpeed(value: number): void {
    this.speed = value;
  }

  seek(time: number): void {
    this.time = Math.min(Math.max(time, this.range[0]), this.range[1]);
  }

  advance(seconds: number): void {
    if (!this.playing) return;
    const again = this.loop && this.time >= this.range[1] && this.range[1] > this.range[0];
    this.seek(again ? this.range[0] : this.time + seconds * this.speed);
    if (this.time >= this.range[1] && !this.loop) this.pause();
  }
}
