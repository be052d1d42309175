// The joint panel of a recording or a world that runs by itself: each joint's value between its limits, and its torque, in the frame shown.
import { byId, put } from "./dom";
import type { Frame, SceneMessage } from "./types";
import { label } from "./words";

const OFTEN = 80; // ms between two updates

interface Row {
  angle: number; // channel
  torque: number; // channel, -1: none
  limits: [number, number] | undefined;
  unit: string;
  value: HTMLElement;
  effort: HTMLElement;
  bar: HTMLElement;
  knob: HTMLElement;
}

export class JointValues {
  private rows: Row[] = [];
  private at = 0;
  private shown: Frame | null = null;

  /** The joints of a scene that is no stage. */
  begin(scene: SceneMessage): void {
    this.rows = [];
    this.shown = null;
    const title = document.createElement("h2");
    label(title, "joints-title");
    const elements = scene.channels.flatMap((channel, i) => (channel.group === "angles" ? [this.row(scene, i)] : []));
    byId("joints-button").hidden = !elements.length;
    byId("joints").replaceChildren(title, ...elements);
    byId("joints-button").onclick = () => {
      const panel = byId("joints");
      panel.hidden = !panel.hidden;
      byId("joints-button").setAttribute("aria-pressed", String(!panel.hidden));
      [this.at, this.shown] = [0, null];
    };
  }

  show(frame: Frame): void {
    const now = performance.now();
    if (!this.rows.length || byId("joints").hidden || frame === this.shown || now - this.at < OFTEN) return;
    [this.at, this.shown] = [now, frame];
    for (const row of this.rows) {
      const value = frame.channels[row.angle]!;
      put(row.value, `${value.toFixed(row.unit === "deg" ? 1 : 3)}${row.unit === "deg" ? "°" : ` ${row.unit}`}`);
      put(row.effort, row.torque < 0 ? "" : `${frame.channels[row.torque]!.toFixed(1)} ${row.unit === "m" ? "N" : "N m"}`);
      if (!row.limits) continue;
      const [least, most] = row.limits;
      const part = (value - least) / (most - least);
      row.knob.style.left = `${(100 * Math.min(Math.max(part, 0), 1)).toFixed(1)}%`;
      row.bar.classList.toggle("beyond", part < -0.005 || part > 1.005);
    }
  }

  private row(scene: SceneMessage, angle: number): HTMLElement {
    const { name, unit } = scene.channels[angle]!;
    const [element, head, text, value, effort, bar, knob] = ["div", "p", "span", "span", "span", "span", "i"].map((kind) => document.createElement(kind)) as [HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement];
    element.className = "joint";
    element.dataset.joint = name;
    const figure = scene.figures.find((one) => name.startsWith(`${one}.`));
    text.textContent = (figure && scene.figures.length === 1 ? name.slice(figure.length + 1) : name).replaceAll("_", " ").replace(/\.([xyz])$/, " $1");
    [value.className, effort.className, bar.className] = ["value", "torque", "span"];
    head.append(text, value, effort);
    element.append(head);
    const limits = scene.limits?.[name];
    if (limits && limits[1] > limits[0]) {
      bar.append(knob);
      const ends = document.createElement("span");
      ends.className = "ends";
      ends.append(...limits.map((end) => {
        const label = document.createElement("span");
        label.textContent = unit === "deg" ? `${Math.round(end)}°` : `${end.toFixed(2)} ${unit}`;
        return label;
      }));
      element.append(bar, ends);
    }
    const torque = scene.channels.findIndex((c) => c.group === "torques" && c.name === name);
    this.rows.push({ angle, torque, limits, unit, value, effort, bar, knob });
    return element;
  }
}

/** A joint's value for a person. */
export function inWords(x: number, unit: string): string {
  return unit === "m" ? `${Math.round(1000 * x) || 0} mm` : `${Math.round((180 / Math.PI) * x) || 0}°`;
}

/** The size of a joint's torque (of a ball's: of all three together) in a frame. */
export function torqueOf(frame: Frame, channels: readonly number[], unit: string): string {
  if (!channels.length) return "";
  const parts = channels.map((c) => frame.channels[c]!);
  const size = parts.length === 1 ? parts[0]! : Math.hypot(...parts);
  return Number.isFinite(size) ? `${size.toFixed(1)} ${unit === "m" ? "N" : "N m"}` : "";
}
