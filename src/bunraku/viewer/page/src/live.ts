// A live server: frames arrive over one WebSocket of the same origin, commands go back as small JSON texts. The token of
// the address (#token=…) is sent as a subprotocol. A lost connection comes back by itself, with growing pauses.
import { decodeFrame, frameAt } from "./frames";
import { parseScene, sameCast, type Frame, type SceneMessage, type StatusMessage } from "./types";
import type { Source } from "./source";

const KEEP = 3600; // frames kept for plots, ghosts and looking back: a minute at 60 Hz
const FIRST_PAUSE = 500; // ms before the first new attempt
const LONGEST_PAUSE = 5000;

export class Live implements Source {
  readonly frames: Frame[] = [];
  readonly live = true;
  playing = false;
  speed = 1;
  connected = false;
  message: string | null = "Connecting …";
  duration: number | null = null;
  private lookingBack: number | null = null; // time shown while the reader looks at the past
  private scene: SceneMessage | null = null;
  private socket: WebSocket | null = null;
  private pauseBefore = FIRST_PAUSE;
  private wasConnected = false;

  constructor(
    private readonly token: string,
    private readonly onScene: (scene: SceneMessage) => void,
    private readonly onError: (text: string) => void,
  ) {
    this.open();
  }

  get time(): number {
    return this.lookingBack ?? this.frames[this.frames.length - 1]?.time ?? 0;
  }

  get range(): [number, number] {
    if (this.duration !== null) return [0, this.duration];
    return this.frames.length ? [this.frames[0]!.time, this.frames[this.frames.length - 1]!.time] : [0, 1];
  }

  get index(): number {
    return this.frames.length ? frameAt(this.frames, this.time) : -1;
  }

  play(): void {
    this.lookingBack = null;
    this.send({ type: "play" });
  }

  pause(): void {
    this.send({ type: "pause" });
  }

  step(n: number): void {
    const looking = this.lookingBack !== null || n < 0;
    if (looking && this.duration === null) {
      const next = this.index + n;
      if (this.playing) this.pause();
      this.lookingBack = next < this.frames.length - 1 ? (this.frames[Math.max(next, 0)]?.time ?? null) : null;
      return;
    }
    if (n < 0) this.send({ type: "seek", time: Math.max(this.time - 1 / 30, 0) });
    else this.send({ type: "step", n });
  }

  setSpeed(value: number): void {
    this.speed = value;
    this.send({ type: "speed", value });
  }

  /** A replayed recording seeks on the server; a simulation cannot go back, so the page shows what it kept. */
  seek(time: number): void {
    if (this.duration !== null) {
      this.send({ type: "seek", time: Math.min(Math.max(time, 0), this.duration) });
      return;
    }
    if (this.playing) this.pause();
    this.lookingBack = time < this.range[1] ? Math.max(time, this.range[0]) : null;
  }

  advance(): void {}

  private send(command: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }

  private open(): void {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const protocols = this.token ? ["bunraku", `token.${this.token}`] : ["bunraku"];
    let socket: WebSocket;
    try {
      socket = new WebSocket(`${scheme}//${location.host}/ws`, protocols);
    } catch {
      this.message = "No server: open the address that “bunraku view” prints.";
      return;
    }
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.connected = this.wasConnected = true;
      this.message = null;
      this.pauseBefore = FIRST_PAUSE;
      this.lookingBack = null;
      this.send({ type: "hello" });
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      try {
        if (typeof event.data === "string") this.heard(event.data);
        else this.keep(decodeFrame(event.data));
      } catch (error) {
        this.onError(String(error));
      }
    };
    socket.onclose = () => {
      this.connected = this.playing = false;
      this.message = this.wasConnected ? "Disconnected – trying again …" : "No answer from the server – trying again …";
      this.socket = null;
      window.setTimeout(() => this.open(), this.pauseBefore);
      this.pauseBefore = Math.min(this.pauseBefore * 1.6, LONGEST_PAUSE);
    };
    this.socket = socket;
  }

  private heard(text: string): void {
    const message = JSON.parse(text) as { type: string };
    if (message.type === "scene") {
      const scene = parseScene(text);
      if (!this.scene || !sameCast(this.scene, scene)) this.frames.length = 0;
      this.scene = scene;
      this.duration = scene.duration;
      this.onScene(scene);
    } else if (message.type === "status") {
      const status = message as StatusMessage;
      this.playing = status.playing;
      this.speed = status.speed;
      this.duration = status.duration;
      this.message = status.error;
    }
  }

  /** Frames stay in order of time: after a seek back or a restart the later ones are dropped. */
  private keep(frame: Frame): void {
    const last = this.frames[this.frames.length - 1];
    if (last && frame.time <= last.time) {
      this.frames.length = frame.time <= this.frames[0]!.time ? 0 : frameAt(this.frames, frame.time - 2e-6) + 1;
    }
    this.frames.push(frame);
    if (this.frames.length > KEEP * 1.25) this.frames.splice(0, this.frames.length - KEEP);
  }
}
