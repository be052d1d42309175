// A server: frames arrive over one WebSocket of the same origin, commands go back. The token of the address (#token=…) is
// sent as a subprotocol. A lost connection comes back by itself, with growing pauses.
//
// A running world sends the present; the page keeps the latest stretch. A recording sends frames from all of it first
// (the overview), then the one to be shown, which takes its place among them: plots, paths and ghosts know the whole.
// Of a world the page keeps the latest half minute, and of all before it frames that lie the farther apart the longer it runs.
import type { Command } from "./commands";
import { decodeFile, decodeFrames, frameAt } from "./frames";
import type { Source } from "./source";
import { parseScene, sameCast, type ConnectionMessage, type Frame, type SceneMessage, type StageMessage, type StatusMessage } from "./types";

const KEEP = 3600; // frames kept of a recording
const RECENT = 1800; // frames of a world that are all kept for plots, ghosts and looking back: half a minute at 60 Hz
const EARLIER = 1500; // of those before, so many are kept; half as many again may wait until they are thinned
const NOTE = 5000; // ms that a word to this viewer alone is shown
const FIRST_PAUSE = 500; // ms before the first new attempt
const LONGEST_PAUSE = 5000;

export interface Listener {
  scene(scene: SceneMessage): void;
  connections(connections: ConnectionMessage[]): void;
  stage(message: StageMessage): void;
  file(name: string, content: ArrayBuffer): void;
  error(text: string): void;
}

export class Live implements Source {
  frames: Frame[] = [];
  readonly remote = true;
  playing = false;
  speed = 1;
  connected = false;
  message: string | null = "Connecting …";
  number = 0; // of this viewer, as the server counts
  stage: StageMessage | null = null;
  waiting = false;
  rate: number | null = null;
  loop = false;
  notes: string[] = []; // words to this viewer alone
  private notedAt = 0; // ms; when a word was heard that is soon forgotten
  private overview: Frame[] = [];
  private shown: number | null = null; // time of a recording's frame that was sent last
  private lookingBack: number | null = null; // time shown while the reader looks at the past of a world
  scene: SceneMessage | null = null;
  private socket: WebSocket | null = null;
  private pauseBefore = FIRST_PAUSE;
  private wasConnected = false;
  private saidReady = false;

  constructor(
    private readonly token: string,
    private readonly listener: Listener,
  ) {
    this.open();
  }

  get live(): boolean {
    return this.scene?.duration == null;
  }

  get noted(): boolean {
    return this.notedAt > 0;
  }

  get time(): number {
    if (this.scene?.duration != null) return this.shown ?? this.scene.start;
    return this.lookingBack ?? this.frames[this.frames.length - 1]?.time ?? 0;
  }

  get range(): [number, number] {
    if (this.scene?.duration != null) return [this.scene.start, this.scene.start + this.scene.duration];
    return this.frames.length ? [this.frames[0]!.time, this.frames[this.frames.length - 1]!.time] : [0, 1];
  }

  get index(): number {
    return this.frames.length ? frameAt(this.frames, this.time) : -1;
  }

  /** Of a stage, which goes back by undo, there is none. */
  get past(): number | null {
    return this.connected && !this.scene?.stage ? this.lookingBack : null;
  }

  ready(): void {
    if (this.saidReady || !this.connected) return;
    this.saidReady = true;
    this.send({ type: "ready" });
  }

  play(): void {
    this.lookingBack = null;
    this.send({ type: "play" });
  }

  restart(): void {
    this.lookingBack = null;
    this.send({ type: "restart" });
  }

  goOn(): void {
    if (this.past === null) return;
    const here = this.index;
    this.lookingBack = null;
    this.frames.length = here + 1; // what came after it comes again, or otherwise
    this.send({ type: "go_on", time: this.frames[here]!.time });
  }

  setLoop(on: boolean): void {
    this.send({ type: "loop", on: on ? 1 : 0 });
  }

  pause(): void {
    this.send({ type: "pause" });
  }

  /** By displayed frames: a world goes on, and back through what the page kept; a recording goes both ways. */
  step(n: number): void {
    if (this.live && (this.lookingBack !== null || n < 0)) {
      const next = this.index + n;
      if (this.playing) this.pause();
      this.lookingBack = next < this.frames.length - 1 ? (this.frames[Math.max(next, 0)]?.time ?? null) : null;
      return;
    }
    this.send({ type: "frame", n });
  }

  /** By single steps of a world, frames of a recording as they were recorded. */
  fine(n: number): void {
    if (this.live && (this.lookingBack !== null || n < 0)) this.step(n);
    else this.send({ type: "step", n });
  }

  setSpeed(value: number): void {
    this.speed = value;
    this.send({ type: "speed", value });
  }

  /** A replayed recording seeks on the server; a simulation cannot go back, so the page shows what it kept. */
  seek(time: number): void {
    const [start, end] = this.range;
    if (!this.live) {
      this.send({ type: "seek", time: Math.min(Math.max(time, start), end) });
      return;
    }
    if (this.playing) this.pause();
    this.lookingBack = time < end ? Math.max(time, start) : null;
  }

  advance(): void {
    if (this.noted && performance.now() - this.notedAt > NOTE) [this.message, this.notedAt] = [null, 0];
  }

  /** The one place where something is asked of the server. */
  send(command: Command): void {
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
      this.saidReady = false;
      this.send({ type: "hello" });
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      try {
        if (typeof event.data === "string") this.heard(event.data);
        else {
          const file = decodeFile(event.data);
          if (file) this.listener.file(file.name, file.content);
          else this.seen(decodeFrames(event.data));
        }
      } catch (error) {
        this.listener.error(String(error));
      }
    };
    socket.onclose = () => {
      this.connected = this.playing = this.waiting = false;
      this.rate = null;
      this.notedAt = 0;
      this.stage = null;
      this.message = this.wasConnected
        ? "Disconnected – trying again … (a server that was started anew prints another address)"
        : "No answer from the server – trying again … (is this the whole address that it printed?)";
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
      if (!this.scene || !sameCast(this.scene, scene)) [this.frames, this.overview, this.shown] = [[], [], null];
      this.scene = scene;
      this.listener.scene(scene);
    } else if (message.type === "connections") {
      this.listener.connections((message as unknown as { connections: ConnectionMessage[] }).connections);
    } else if (message.type === "status") {
      const status = message as StatusMessage;
      this.playing = status.playing;
      this.speed = status.speed;
      this.waiting = status.waiting ?? false;
      this.rate = status.rate ?? null;
      this.loop = status.loop ?? false;
      this.message = status.error;
      this.notedAt = status.note ? performance.now() : 0;
      if (status.note && status.error) this.notes = [...this.notes.slice(-49), status.error];
    } else if (message.type === "stage") {
      this.stage = message as StageMessage;
      this.listener.stage(this.stage);
    } else if (message.type === "you") {
      this.number = (message as unknown as { number: number }).number;
    }
  }

  /** One frame is the present one; several are the overview of a recording. */
  private seen(frames: Frame[]): void {
    if (frames.length > 1) {
      this.overview = frames;
      this.frames = [...frames];
    } else if (this.live) this.keep(frames[0]!);
    else this.insert(frames[0]!);
  }

  /** Frames of a world stay in order of time: after a restart the later ones are dropped. */
  private keep(frame: Frame): void {
    const last = this.frames[this.frames.length - 1];
    if (last && frame.time <= last.time) {
      this.frames.length = frame.time <= this.frames[0]!.time ? 0 : frameAt(this.frames, frame.time - 2e-6) + 1;
    }
    this.frames.push(frame);
    if (this.frames.length > RECENT + 2 * EARLIER) this.frames = thinned(this.frames);
  }

  /** A frame of a recording takes its place in time. */
  private insert(frame: Frame): void {
    this.shown = frame.time;
    if (this.frames.length > KEEP * 1.25) this.frames = [...this.overview];
    const before = this.frames.length ? frameAt(this.frames, frame.time) : -1;
    const known = this.frames[before];
    if (known && Math.abs(known.time - frame.time) < 1e-6) this.frames[before] = frame;
    else this.frames.splice(known && known.time > frame.time ? 0 : before + 1, 0, frame);
  }
}

/** The latest frames, and of those before them at most EARLIER + 1, evenly in time, the first of all among them. */
export function thinned(frames: Frame[]): Frame[] {
  const old = frames.slice(0, frames.length - RECENT);
  const apart = (old[old.length - 1]!.time - old[0]!.time) / EARLIER;
  let next = -Infinity;
  const kept = old.filter((frame) => {
    if (frame.time < next) return false;
    next = frame.time + apart;
    return true;
  });
  return [...kept, ...frames.slice(frames.length - RECENT)];
}
