// The desk of the stage: switches, what is pinned and how far off it is, files to keep; its keys. Hidden where there is no stage.
import { byId, download, put } from "./dom";
import type { Hand } from "./hand";
import { howFar, isViolated } from "./pins";
import type { Live } from "./live";
import { Joints } from "./joints";
import { itsOwn, keyRows } from "./keys";
import type { SceneMessage, StageMessage } from "./types";
import { label, say, sayOr, type Word } from "./words";

const KEYS: [string, Word][] = [
  ["Click", "key-click"],
  ["Drag", "key-drag"],
  ["Click", "key-walk"],
  ["n", "key-choose"],
  ["Enter", "key-pin"],
  ["← → ↑ ↓", "key-pull"],
  ["g", "key-grip"],
  ["b", "key-balance"],
  ["d", "key-dynamics"],
  ["t", "key-steps"],
  ["u", "key-getup"],
  ["o", "key-pose"],
  ["z", "key-undo"],
  ["x", "key-release"],
  ["r", "key-record"],
  ["s", "key-save"],
  ["Shift B C G", "key-export"],
  ["Esc", "key-letgo"],
];
const LETTERS: Record<string, string> = { b: "balance", d: "dynamics", t: "steps", u: "getup", o: "pose", z: "undo", x: "release", r: "record", s: "save" };
const EXPORTS: Record<string, string> = { b: "bvh", c: "csv", g: "gif" };

export class Desk {
  readonly files: string[] = []; // that were given to the browser
  private open = false;
  private rows = "";
  readonly joints = new Joints(() => this.live());
  private readonly button = (id: string) => byId<HTMLButtonElement>(id);

  constructor(
    private readonly hand: Hand,
    private readonly live: () => Live | null,
  ) {
    const send = (type: "undo" | "reset" | "save" | "release_all") => () => this.live()?.send({ type });
    this.button("undo-button").onclick = send("undo");
    this.button("reset-button").onclick = send("reset");
    this.button("save-button").onclick = send("save");
    this.button("release-button").onclick = send("release_all");
    this.button("balance-button").onclick = () => this.live()?.send({ type: "balance", on: !this.live()?.stage?.balance });
    this.button("record-button").onclick = () => this.live()?.send({ type: "record", on: this.live()?.stage?.recording == null });
    this.button("dynamics-button").onclick = () => this.live()?.send({ type: "dynamics", on: !this.live()?.stage?.dynamics });
    this.button("steps-button").onclick = () => this.live()?.send({ type: "steps", on: !this.live()?.stage?.steps });
    this.button("getup-button").onclick = () => this.live()?.send({ type: "get_up" });
    const axes = byId<HTMLSelectElement>("axes-select");
    axes.onchange = () => {
      [this.hand.axes, this.hand.own] = [axes.value.replace("own ", ""), axes.value.startsWith("own ")];
    };
    this.button("pose-button").onclick = () => this.setPose(!this.hand.pose);
    for (const format of ["bvh", "csv", "gif"] as const) {
      this.button(`${format}-button`).onclick = () => this.live()?.send({ type: "export", format });
    }
    window.addEventListener("keydown", (event) => this.key(event));
  }

  /** From now on this is a stage. */
  begin(scene: SceneMessage): void {
    this.joints.begin(scene);
    if (this.open) return;
    this.open = true;
    byId("desk").hidden = byId("hint").hidden = false;
    byId("app").classList.add("no-plots", "on-stage");
    byId("plots-button").setAttribute("aria-pressed", "false");
    byId("keys").prepend(...keyRows(KEYS));
    if (matchMedia("(pointer: coarse)").matches) label(byId("hint"), "stage-hint-touch");
  }

  show(stage: StageMessage, me: number): void {
    const state = byId("figure-state");
    put(state, sayOr(stage.state, stage.state));
    state.dataset.state = stage.state;
    const other = stage.holder !== 0 && stage.holder !== me;
    put(byId("holder"), other ? say("others-drag") : stage.holder === me ? say("you-drag") : "");
    this.button("balance-button").setAttribute("aria-pressed", String(stage.balance));
    this.button("dynamics-button").setAttribute("aria-pressed", String(stage.dynamics));
    this.button("steps-button").setAttribute("aria-pressed", String(stage.steps));
    this.joints.show(stage);
    const record = this.button("record-button");
    record.disabled = !stage.dynamics;
    record.setAttribute("aria-pressed", String(stage.recording !== null));
    put(record, stage.recording === null ? say("record") : say("record-stop", { seconds: stage.recording.toFixed(1) }));
    const undo = this.button("undo-button");
    undo.disabled = stage.undo === null;
    undo.title = stage.undo === null ? say("undo-nothing") : say("undo-what", { what: stage.undo.replaceAll("_", " ") });
    for (const format of ["bvh", "csv", "gif"]) {
      const button = this.button(`${format}-button`);
      button.disabled = stage.making !== null || (!stage.take && stage.recording === null);
      put(button, stage.making === format ? "…" : format.toUpperCase());
      button.title = button.disabled && stage.making === null ? say("export-nothing") : say("export-last", { format: format.toUpperCase() });
    }
    this.button("release-button").disabled = !stage.items.some((item) => item.kind === "pin");
    this.list(stage);
    const limits = Object.entries(stage.limits).map(([name, much]) => `${name.replaceAll("_", " ")} ${much}`);
    put(byId("limits"), limits.length ? say("beyond-limits", { joints: limits.join(", ") }) : "");
  }

  /** A file that the server made: the browser keeps it. */
  keep(name: string, content: ArrayBuffer): void {
    download(name, new Blob([content]));
    this.files.push(name);
  }

  private setPose(on: boolean): void {
    this.hand.pose = on;
    this.button("pose-button").setAttribute("aria-pressed", String(on));
  }

  private list(stage: StageMessage): void {
    const list = byId("pins");
    const rows = stage.items.map((item) => item.name).join();
    if (rows !== this.rows) {
      this.rows = rows;
      list.replaceChildren(
        ...stage.items.map((item) => {
          const row = document.createElement("li");
          row.dataset.kind = item.kind;
          const [name, off] = [document.createElement("span"), document.createElement("span")];
          name.textContent = item.link.replaceAll("_", " ");
          const how = item.pose ? say("how-pose") : item.axes === "xyz" ? say("how-point") : say("how-axes", { axes: item.axes });
          row.title = say(item.kind === "pin" ? "pin-of" : "drag-of", { link: name.textContent, how });
          row.classList.toggle("pose", item.pose);
          off.className = "off";
          row.append(name, off);
          if (item.kind === "pin") {
            const button = document.createElement("button");
            button.textContent = "×";
            button.title = say("release-of", { link: name.textContent });
            button.setAttribute("aria-label", button.title);
            button.onclick = () => this.live()?.send({ type: "release", name: item.name });
            row.append(button);
          }
          return row;
        }),
      );
    }
    byId("no-pins").hidden = stage.items.length > 0;
    stage.items.forEach((item, i) => {
      const row = list.children[i] as HTMLElement;
      row.classList.toggle("violated", isViolated(item));
      put(row.querySelector<HTMLElement>(".off")!, howFar(item));
    });
  }

  private key(event: KeyboardEvent): void {
    if (!this.open || event.altKey || event.repeat || byId<HTMLDialogElement>("help").open || itsOwn(event)) return;
    const key = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && key !== "z") return;
    const id = event.shiftKey && EXPORTS[key] ? EXPORTS[key] : LETTERS[key];
    if (!id) return;
    event.preventDefault();
    event.stopImmediatePropagation(); // Shift g exports: no ghosts
    this.button(`${id}-button`).click();
  }
}
