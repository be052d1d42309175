// The panel at the side: views, layers to show, the legend of contact states with their present count, the arrows' scale.
import { byId, hex, put } from "./dom";
import { LAYERS, type LayerName, type Show } from "./show";
import { STATE_COLORS, STATE_NAMES } from "./theme";
import { VIEWS, type ViewName } from "./camera";
import { label, say } from "./words";

export class Panel {
  private readonly boxes = new Map<LayerName, HTMLInputElement>();
  private readonly rows: HTMLElement[];
  private readonly scale = byId("scale");

  constructor(
    onLayer: (name: LayerName, on: boolean) => void,
    onView: (name: ViewName) => void,
    onFollow: (on: boolean) => void,
  ) {
    for (const [i, name] of (Object.keys(VIEWS) as ViewName[]).entries()) {
      const button = document.createElement("button");
      label(button, `view-${name}`);
      button.title = String(i + 1);
      button.dataset.testid = `view-${name}`;
      button.dataset.view = name;
      button.onclick = () => onView(name);
      byId("views").append(button);
    }
    for (const layer of LAYERS) {
      const row = document.createElement("label");
      row.className = "layer";
      const box = document.createElement("input");
      box.type = "checkbox";
      box.checked = layer.on;
      box.dataset.testid = `layer-${layer.name}`;
      box.onchange = () => onLayer(layer.name, box.checked);
      const text = document.createElement("span");
      label(text, `layer-${layer.name}`, layer.text);
      row.append(box, text);
      if (layer.color !== undefined) row.append(swatch(layer.color));
      byId("layers").append(row);
      this.boxes.set(layer.name, box);
    }
    this.rows = [3, 2, 1].map((state) => {
      const row = document.createElement("div");
      row.className = "state";
      row.dataset.state = String(state);
      const text = document.createElement("span");
      label(text, `state-${STATE_NAMES[state]!}`);
      const count = document.createElement("span");
      count.className = "count";
      count.dataset.testid = `state-${STATE_NAMES[state]!}`;
      row.append(swatch(hex(STATE_COLORS[state]!)), text, count);
      byId("states").append(row);
      return row;
    });
    byId<HTMLInputElement>("follow").onchange = (event) => onFollow((event.target as HTMLInputElement).checked);
  }

  isOn(name: LayerName): boolean {
    return this.boxes.get(name)!.checked;
  }

  flip(name: LayerName): void {
    this.boxes.get(name)!.click();
  }

  setView(name: string): void {
    for (const button of byId("views").querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.view === name));
    }
  }

  show(show: Show): void {
    for (const row of this.rows) {
      const count = show.contacts.states[Number(row.dataset.state)]!;
      row.classList.toggle("active", count > 0);
      const cell = row.querySelector(".count")!;
      if (cell.textContent !== String(count)) cell.textContent = String(count);
    }
    const { reference, arrowLength } = show.contacts;
    const round = (x: number) => Number(x.toPrecision(2));
    put(this.scale, reference > 0 ? say("arrow-scale", { length: round(100 * arrowLength), force: round(reference) }) : "");
  }
}

function swatch(color: string): HTMLElement {
  const dot = document.createElement("i");
  dot.className = "swatch";
  dot.style.background = color;
  return dot;
}
