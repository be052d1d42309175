// Where frames come from, as the rest of the page sees it: a recording held by the page, or a live server.
import { frameAt } from "./frames";
import type { Frame, SceneMessage } from "./types";

export interface Source {
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
  play(): void;
  pause(): void;
  step(n: number): void;
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
  readonly range: [number, number];

  constructor(
    readonly scene: SceneMessage,
    readonly frames: readonly Frame[],
  ) {
    if (!frames.length) throw new Error("the page holds no frames; export the recording again");
    this.range = [frames[0]!.time, frames[frames.length - 1]!.time];
    this.time = this.range[0];
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
    this.seek(this.time + seconds * this.speed);
    if (this.time >= this.range[1]) this.pause();
  }
}
