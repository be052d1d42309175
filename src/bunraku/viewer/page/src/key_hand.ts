// The keyboard on the stage: n chooses the next link, Enter pins it or releases its pin, arrows drag it (as seen; Page Up and Page Down away
// and nearer), Esc lets go. What happened is told to readers of the screen. The keys of a chosen link work while the picture has the focus.
import { Matrix4, Vector3 } from "three";
import { byId } from "./dom";
import type { Hand } from "./hand";
import type { Live } from "./live";
import { poseOf, placeOf } from "./shapes";
import type { Show } from "./show";
import type { Stage } from "./stage";
import type { Vec3 } from "./types";
import { say } from "./words";

const STEP = 0.02; // m a press of an arrow; with Shift five times as far
const REPEATS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "PageUp", "PageDown"]);

/** What can be chosen: a link, held in the middle of its shape, or a named point of it. */
interface Choice {
  name: string;
  body: number;
  point: Vec3; // in the body's frame
}

export class KeyHand {
  chosen: Choice | null = null;
  private readonly pose = new Matrix4();

  constructor(
    private readonly stage: Stage,
    private readonly hand: Hand,
    private readonly show: () => Show | null,
    private readonly live: () => Live | null,
  ) {
    stage.canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.key(event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    stage.canvas.addEventListener("blur", () => this.drop());
  }

  /** The body of what is chosen, -1: none. */
  get body(): number {
    return this.chosen?.body ?? -1;
  }

  get name(): string {
    return this.chosen?.name.replaceAll("_", " ") ?? "";
  }

  /** The next link or point of the figure (or the one before) is chosen, and the picture takes the focus. */
  choose(step: number): void {
    const links = this.choices();
    if (!links.length) return;
    this.drop();
    const now = links.findIndex(({ name }) => name === this.chosen?.name);
    this.chosen = links[now < 0 ? (step > 0 ? 0 : links.length - 1) : (now + step + links.length) % links.length]!;
    this.stage.canvas.focus();
    this.tell("link-chosen");
    this.stage.touch();
  }

  /** Where the chosen link is held, in the world; null where none is. */
  place(): Vector3 | null {
    const frame = this.hand.present()?.frame;
    if (!this.chosen || !frame) return null;
    return new Vector3(...this.chosen.point).applyMatrix4(poseOf(frame.poses, this.chosen.body, this.pose));
  }

  private key(event: KeyboardEvent): boolean {
    if (!this.chosen || !this.show()?.scene.stage) return false;
    if (event.key === "Enter") {
      if (!event.repeat) this.pin(this.chosen, event.shiftKey);
    } else if (event.key === "Escape") {
      if (!this.drop()) this.chosen = null;
      this.stage.touch();
    } else if (REPEATS.has(event.key)) this.pull(this.chosen, event.key, event.shiftKey ? 5 * STEP : STEP);
    else return false;
    return true;
  }

  /** Pin it where it is, or release its pin. */
  private pin({ name, body, point }: Choice, wholePose: boolean): void {
    const pin = this.live()?.stage?.items.find((item) => item.kind === "pin" && item.link === name);
    const dragged = this.drop();
    if (pin && !dragged) {
      this.live()?.send({ type: "release", name: pin.name });
      this.tell("link-released");
    } else if (this.hand.present()) {
      this.hand.pin(body, point, wholePose);
      this.tell("link-pinned");
    }
  }

  private pull({ body, point }: Choice, key: string, by: number): void {
    const at = this.place();
    if (!at) return;
    if (!this.hand.dragging) this.hand.take(body, point, at);
    const e = this.stage.camera.matrixWorld.elements;
    const way = new Vector3();
    if (key === "ArrowLeft" || key === "ArrowRight") way.set(e[0]!, e[1]!, e[2]!).multiplyScalar(key === "ArrowLeft" ? -by : by);
    else if (key === "ArrowUp" || key === "ArrowDown") way.set(e[4]!, e[5]!, e[6]!).multiplyScalar(key === "ArrowDown" ? -by : by);
    else way.set(e[8]!, e[9]!, e[10]!).multiplyScalar(key === "PageUp" ? -by : by);
    this.hand.nudge(way);
  }

  private drop(): boolean {
    if (!this.hand.dragging || !this.chosen) return false;
    this.hand.end();
    this.tell("link-dropped");
    return true;
  }

  private tell(word: "link-chosen" | "link-pinned" | "link-released" | "link-dropped"): void {
    byId("said").textContent = say(word, { link: this.name });
  }

  /** Links of the stage's figure that have a shape, each before its named points. */
  private choices(): Choice[] {
    const scene = this.show()?.scene;
    if (!scene?.stage) return [];
    const { figure, grips = [] } = scene.stage;
    return scene.bodies.flatMap((one, body) => {
      const shape = scene.shapes.find((other) => other.body === body);
      if (one.figure !== figure || !shape) return [];
      const name = this.hand.link(body);
      const middle = new Vector3().setFromMatrixPosition(placeOf(shape)).toArray() as Vec3;
      return [{ name, body, point: middle }, ...grips.filter(({ link }) => link === name).map((grip) => ({ name: grip.name, body, point: grip.point }))];
    });
  }
}
