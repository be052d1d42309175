// The desk of the stage: switches, what is pinned and how far off it is, files to keep; its keys. Hidden where there is no stage.
import { byId } from "./dom";
import type { Hand } from "./hand";
import { howFar, isViolated } from "./pins";
import type { Live } from "./live";
import type { StageMessage } from "./types";

const STATES: Record<string, string> = { standing: "Standing", falling: "Falling", fallen: "Fallen" };
const KEYS: [string, string][] = [
  ["Click", "pin a link (with Shift: its full pose); release a pin"],
  ["Drag", "pull a link; Shift: level, Alt or Ctrl: up and down"],
  ["b", "balance on or off"],
  ["o", "full pose: hold the orientation, too"],
  ["z", "undo"],
  ["x", "release all pins"],
  ["r", "record on or off"],
  ["s", "save the score"],
  ["Esc", "let go"],
];

export class Desk {
  readonly files: string[] = []; // that were given to the browser
  private open = false;
  private rows = "";
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
    this.button("pose-button").onclick = () => this.setPose(!this.hand.pose);
    for (const format of ["bvh", "csv", "gif"] as const) {
      this.button(`${format}-button`).onclick = () => this.live()?.send({ type: "export", format });
    }
    window.addEventListener("keydown", (event) => this.key(event));
  }

  /** From now on this is a stage. */
  begin(): void {
    if (this.open) return;
    this.open = true;
    byId("desk").hidden = byId("hint").hidden = false;
    byId("app").classList.add("no-plots", "on-stage");
    byId("plots-button").setAttribute("aria-pressed", "false");
    byId("keys").prepend(
      ...KEYS.flatMap(([key, text]) => {
        const [term, meaning] = [document.createElement("dt"), document.createElement("dd")];
        [term.textContent, meaning.textContent] = [key, text];
        return [term, meaning];
      }),
    );
  }

  show(stage: StageMessage, me: number): void {
    const state = byId("figure-state");
    put(state, STATES[stage.state] ?? stage.state);
    state.dataset.state = stage.state;
    const other = stage.holder !== 0 && stage.holder !== me;
    put(byId("holder"), other ? "Somebody else is dragging" : stage.holder === me ? "You are dragging" : "");
    this.button("balance-button").setAttribute("aria-pressed", String(stage.balance));
    const record = this.button("record-button");
    record.setAttribute("aria-pressed", String(stage.recording !== null));
    put(record, stage.recording === null ? "Record" : `Stop ${stage.recording.toFixed(1)} s`);
    const undo = this.button("undo-button");
    undo.disabled = stage.undo === null;
    undo.title = stage.undo === null ? "Nothing to undo (z)" : `Undo: ${stage.undo.replaceAll("_", " ")} (z)`;
    for (const format of ["bvh", "csv", "gif"]) {
      const button = this.button(`${format}-button`);
      button.disabled = stage.making !== null || (!stage.take && stage.recording === null);
      put(button, stage.making === format ? "…" : format.toUpperCase());
      button.title = button.disabled && stage.making === null ? "Record something first (r)" : `The last take as ${format.toUpperCase()}`;
    }
    this.button("release-button").disabled = !stage.items.some((item) => item.kind === "pin");
    this.list(stage);
    const limits = Object.entries(stage.limits).map(([name, much]) => `${name.replaceAll("_", " ")} ${much}`);
    put(byId("limits"), limits.length ? `Beyond their limits: ${limits.join(", ")}` : "");
  }

  /** A file that the server made: the browser keeps it. */
  keep(name: string, content: ArrayBuffer): void {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content]));
    link.download = name;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
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
          row.title = `${item.kind} of ${name.textContent}: ${item.pose ? "full pose" : "a point"}`;
          row.classList.toggle("pose", item.pose);
          off.className = "off";
          row.append(name, off);
          if (item.kind === "pin") {
            const button = document.createElement("button");
            button.textContent = "×";
            button.title = "Release";
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
    if (!this.open || event.altKey || event.repeat || byId<HTMLDialogElement>("help").open) return;
    if (event.target instanceof HTMLSelectElement) return;
    const undoes = event.key.toLowerCase() === "z";
    if ((event.ctrlKey || event.metaKey) && !undoes) return;
    const ids: Record<string, string> = { b: "balance", o: "pose", z: "undo", x: "release", r: "record", s: "save" };
    const id = ids[event.key.toLowerCase()];
    if (!id) return;
    event.preventDefault();
    this.button(`${id}-button`).click();
  }
}

function put(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
