// The joint panel of a stage: a slider for every joint (three for a ball), within its limits, and its torque. Moving one makes its value desired,
// × releases it. What is shown is what the server says, but for a slider that is being moved; the server hears of it at most once a display
// frame. The panel of other scenes is in joint_values.ts.
import { byId, put } from "./dom";
import { inWords, torqueOf } from "./joint_values";
import type { Live } from "./live";
import type { Frame, JointRange, SceneMessage, StageMessage } from "./types";
import { label, say } from "./words";

interface Row {
  joint: JointRange;
  element: HTMLElement;
  value: HTMLElement;
  torque: HTMLElement;
  channels: number[]; // of its torques
  sliders: HTMLInputElement[];
}

export class Joints {
  private rows: Row[] = [];
  private readonly unsent = new Set<Row>();
  private held: HTMLInputElement | null = null;
  private last: StageMessage | null = null;

  constructor(private readonly live: () => Live | null) {
    const button = byId("joints-button");
    button.onclick = () => {
      const panel = byId("joints");
      panel.hidden = !panel.hidden;
      button.setAttribute("aria-pressed", String(!panel.hidden));
      if (this.last) this.show(this.last); // a panel that is opened shows the joints as they are, not only after the next message
    };
    for (const end of ["pointerup", "pointercancel", "blur"]) window.addEventListener(end, () => (this.held = null));
  }

  begin(scene: SceneMessage): void {
    const joints = scene.stage?.joints ?? [];
    byId("joints-button").hidden = false;
    if (this.rows.map((row) => row.joint.name).join() === joints.map((joint) => joint.name).join()) return;
    this.rows = joints.map((joint) => this.row(joint, scene));
    const title = document.createElement("h2");
    label(title, "joints-desired");
    byId("joints").replaceChildren(title, ...this.rows.map((row) => row.element));
    if (this.last) this.show(this.last);
  }

  show(stage: StageMessage): void {
    this.last = stage;
    if (byId("joints").hidden) return;
    for (const row of this.rows) {
      const desired = stage.desired[row.joint.name];
      const now = stage.joints[row.joint.name] ?? [];
      row.element.classList.toggle("desired", desired !== undefined);
      row.sliders.forEach((slider, k) => {
        const x = String((desired ?? now)[k] ?? 0);
        if (slider !== this.held && !this.unsent.has(row) && slider.value !== x) slider.value = x;
      });
      const text = now.map((x) => inWords(x, row.joint.unit)).join(" ");
      if (row.value.textContent !== text) row.value.textContent = text;
    }
  }

  /** Torques of the frame shown. */
  torques(frame: Frame): void {
    if (byId("joints").hidden) return;
    for (const row of this.rows) put(row.torque, torqueOf(frame, row.channels, row.joint.unit));
  }

  private row(joint: JointRange, scene: SceneMessage): Row {
    const element = document.createElement("div");
    element.className = "joint";
    element.dataset.joint = joint.name;
    const [head, name, value, torque, release] = [make("p"), make("span"), make("span"), make("span"), make("button") as HTMLButtonElement];
    torque.className = "torque";
    name.textContent = joint.name.replaceAll("_", " ");
    value.className = "value";
    release.textContent = "×";
    release.title = say("release");
    release.setAttribute("aria-label", say("release-of", { link: name.textContent }));
    release.onclick = () => this.live()?.send({ type: "undesire", joint: joint.name });
    head.append(name, value, torque, release);
    const sliders = joint.least.map((least, k) => {
      const slider = document.createElement("input");
      slider.type = "range";
      slider.step = "any";
      [slider.min, slider.max] = [String(least), String(joint.most[k])];
      slider.value = "0"; // a range begins in its middle, or at an end, until it is told
      slider.title = `${inWords(least, joint.unit)} … ${inWords(joint.most[k]!, joint.unit)}`;
      slider.setAttribute("aria-label", joint.least.length > 1 ? `${name.textContent} ${"xyz"[k]}` : name.textContent!);
      return slider;
    });
    const own = `${scene.stage!.figure}.${joint.name}`;
    const channels = scene.channels.flatMap((c, i) => (c.group === "torques" && (c.name === own || /^\.[xyz]$/.test(c.name.slice(own.length)) && c.name.startsWith(own)) ? [i] : []));
    const row = { joint, element, value, torque, sliders, channels };
    for (const slider of sliders) {
      slider.onpointerdown = () => (this.held = slider);
      slider.oninput = () => this.moved(row);
    }
    element.append(
      head,
      ...sliders.map((slider, k) => {
        const label = make("label");
        if (sliders.length > 1) label.append("xyz"[k]!);
        label.append(slider);
        return label;
      }),
    );
    return row;
  }

  /** At the next display frame the server hears of it. */
  private moved(row: Row): void {
    if (!this.unsent.size) requestAnimationFrame(() => this.flush());
    this.unsent.add(row);
  }

  private flush(): void {
    for (const row of this.unsent) {
      const value = row.sliders.map((slider, k) => Math.min(Math.max(Number(slider.value), row.joint.least[k]!), row.joint.most[k]!));
      this.live()?.send({ type: "desire", joint: row.joint.name, value });
    }
    this.unsent.clear();
  }
}

const make = (kind: string) => document.createElement(kind);
