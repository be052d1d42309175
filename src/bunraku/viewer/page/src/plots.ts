// The plots: a group of curves at a time, or several groups side by side, with the values at the present, or at the pointer, beside them.
import { Chart } from "./chart";
import { byId, download, put } from "./dom";
import { pictureOf, tableOf } from "./plot_files";
import { SERIES, type ThemeName } from "./theme";
import { GROUPS, type Frame, type SceneMessage } from "./types";
import { frameAt } from "./frames";
import { label, say } from "./words";

const FIRST_SHOWN = 6;
const MOST_PLOTS = 4;
const NOISE = 1e-6; // of the largest value of a group: what varies less stands still
const OFTEN = 90; // ms between two drawings of growing curves, at the least
const SELDOM = 500; // at the most
const SHARE = 0.02; // of the time that drawing them may take

export interface Places {
  groups: HTMLElement;
  chart: HTMLElement;
  channels: HTMLElement;
}

export class Plots {
  group = ""; // the one chosen last
  private groups: string[] = []; // drawn
  private several = false;
  private whole = false;
  private charts: Chart[] = [];
  private theme: ThemeName = "light";
  private shown = new Set<number>(); // channel numbers drawn
  private values: HTMLElement[] = [];
  private listed: number[] = []; // channels of the groups, those shown at first before the others
  private stamp = ""; // of the frames in the charts, to see whether they are stale
  private drawnAt = 0;
  private pointed: number | null = null; // time at the pointer
  private frames: readonly Frame[] = [];
  private seen = false; // not hidden
  private readonly watch: ResizeObserver;

  constructor(
    private readonly scene: SceneMessage,
    private readonly places: Places,
    private readonly onSeek: (time: number) => void,
  ) {
    const known = GROUPS as readonly string[];
    const rest = [...new Set(scene.channels.map((c) => c.group))].filter((g) => !known.includes(g));
    const there = [...known.filter((group) => scene.channels.some((c) => c.group === group)), ...rest];
    places.groups.replaceChildren(
      ...there.map((group) => {
        const button = document.createElement("button");
        label(button, `group-${group}`, group[0]?.toUpperCase() + group.slice(1));
        button.dataset.testid = `group-${group}`;
        button.dataset.group = group;
        button.onclick = (event) => (this.several || event.shiftKey ? this.add(group) : this.choose(group));
        return button;
      }),
    );
    this.watch = new ResizeObserver(() => {
      this.seen = places.chart.clientWidth > 0;
      for (const chart of this.charts) chart.resize();
    });
    this.watch.observe(places.chart);
    this.group = there[0] ?? "";
    places.chart.replaceChildren();
    if (!this.group) {
      const empty = document.createElement("p");
      empty.className = "empty";
      label(empty, "no-channels");
      places.chart.append(empty);
    }
    this.buttons();
  }

  /** Draw another group of channels alone; its widest ranging ones are shown first. */
  choose(group: string, frames: readonly Frame[] = this.frames): void {
    this.group = group;
    this.groups = [];
    this.shown.clear();
    this.add(group, frames);
  }

  /** One more group, or one less; at most four. */
  add(group: string, frames: readonly Frame[] = this.frames): void {
    const there = this.groups.includes(group);
    if (there && this.groups.length > 1) this.groups = this.groups.filter((other) => other !== group);
    else if (!there) {
      for (const c of this.busiest(this.channelsOf(group), frames)) this.shown.add(c);
      this.groups = [...this.groups, group].slice(-MOST_PLOTS);
      this.group = group;
    }
    const order = (channels: number[]) => [...channels.filter((c) => this.shown.has(c)), ...channels.filter((c) => !this.shown.has(c))];
    this.listed = this.groups.flatMap((one) => order(this.channelsOf(one)));
    this.build(frames);
  }

  setTheme(theme: ThemeName): void {
    this.theme = theme;
    if (this.charts.length) this.build(this.frames);
  }

  /** Other frames of the same scene are drawn by somebody else from now on. */
  remove(): void {
    this.watch.disconnect();
    for (const chart of this.charts) chart.remove();
    this.charts = [];
  }

  /** Peaks that are cut off in what is drawn. */
  get cut(): number {
    return this.charts.reduce((sum, chart) => sum + chart.cut, 0);
  }

  get count(): number {
    return this.charts.length;
  }

  /** Follow the frames: new data where there are any, then the line at the present and the values beside it. */
  show(frames: readonly Frame[], index: number, range: [number, number]): void {
    this.frames = frames;
    if (!this.group || !this.seen) return;
    if (!this.charts.length) this.choose(this.firstBusy(frames), frames);
    const stamp = `${frames.length} ${frames[frames.length - 1]?.time}`;
    const now = performance.now();
    const pause = Math.min(Math.max(this.charts.reduce((sum, chart) => sum + chart.cost, 0) / SHARE, OFTEN), SELDOM);
    if (stamp !== this.stamp && now - this.drawnAt > pause) {
      for (const chart of this.charts) chart.set(frames);
      [this.stamp, this.drawnAt] = [stamp, now];
    }
    const frame = frames[index];
    if (!frame) return;
    for (const chart of this.charts) chart.show(frame.time, range);
    const told = this.pointed === null ? frame : frames[frameAt(frames, this.pointed)]!;
    this.listed.forEach((channel, i) => put(this.values[i]!, short(told.channels[channel]!)));
    put(byId("plot-time"), this.pointed === null ? "" : say("plot-at", { seconds: told.time.toFixed(3) }));
  }

  private buttons(): void {
    const toggle = (id: string, set: (on: boolean) => void) => {
      const button = byId(id);
      button.setAttribute("aria-pressed", "false");
      button.onclick = () => {
        const on = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(on));
        set(on);
      };
    };
    toggle("several-button", (on) => {
      this.several = on;
      if (!on && this.groups.length > 1) this.choose(this.group);
    });
    toggle("whole-button", (on) => {
      this.whole = on;
      if (this.charts.length) this.build(this.frames);
    });
    const name = (end: string) => `${(this.scene.title || "bunraku").replace(/[^\p{L}\p{N}]+/gu, "_").slice(0, 60)}_${this.groups.join("_")}.${end}`;
    byId("table-button").onclick = () => download(name("csv"), new Blob([tableOf(this.scene, this.drawn(), this.frames)], { type: "text/csv" }));
    byId("png-button").onclick = () => {
      const paper = getComputedStyle(this.places.chart.parentElement!).backgroundColor;
      const legend = this.drawn().map((c) => ({ name: this.scene.channels[c]!.name, color: this.colorOf(c) }));
      void pictureOf(this.charts.map((chart) => chart.canvas), legend, this.theme, paper).then((picture) => picture && download(name("png"), picture));
    };
  }

  /** The group to begin with: the first in which something changes. */
  private firstBusy(frames: readonly Frame[]): string {
    const groups = [...this.places.groups.querySelectorAll("button")].map((button) => button.dataset.group!);
    return groups.find((group) => this.channelsOf(group).some((c) => this.spread(c, frames) > 0)) ?? this.group;
  }

  private channelsOf(group: string): number[] {
    return this.scene.channels.flatMap((c, i) => (c.group === group ? [i] : []));
  }

  private busiest(channels: number[], frames: readonly Frame[]): number[] {
    if (channels.length <= FIRST_SHOWN || !frames.length) return channels.slice(0, FIRST_SHOWN);
    const found = channels.map((c) => ({ c, spread: this.spread(c, frames), size: Math.abs(frames[frames.length - 1]!.channels[c]!) || 0 }));
    const noise = NOISE * Math.max(...found.map(({ spread, size }) => Math.max(spread, size)));
    for (const one of found) if (!(one.spread > noise)) one.spread = 0;
    return found.sort((a, b) => b.spread - a.spread || b.size - a.size).slice(0, FIRST_SHOWN).map(({ c }) => c);
  }

  /** Highest minus lowest value, looked at in about a hundred frames. */
  private spread(channel: number, frames: readonly Frame[]): number {
    const stride = Math.max(1, Math.floor(frames.length / 100));
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < frames.length; i += stride) {
      const value = frames[i]!.channels[channel]!;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return high - low;
  }

  /** Channels drawn, of one group or of all. */
  private drawn(group?: string): number[] {
    return (group === undefined ? this.groups : [group]).flatMap((one) => this.channelsOf(one).filter((c) => this.shown.has(c)));
  }

  private colorOf(channel: number): string {
    return SERIES[this.drawn(this.scene.channels[channel]!.group).indexOf(channel) % SERIES.length]!;
  }

  private build(frames: readonly Frame[]): void {
    for (const chart of this.charts) chart.remove();
    for (const button of this.places.groups.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(this.groups.includes(button.dataset.group!)));
    }
    this.charts = this.groups.map((group) => {
      const channels = this.drawn(group);
      const options = {
        channels,
        colors: channels.map((c) => this.colorOf(c)),
        theme: this.theme,
        whole: this.whole,
        onSeek: this.onSeek,
        onPoint: (time: number | null) => (this.pointed = time),
      };
      return new Chart(this.places.chart, this.scene, options, frames);
    });
    for (const chart of this.charts) chart.resize(); // they share the width only once all are there
    this.stamp = "";
    this.list();
  }

  /** The channels of the groups beside the plots; a click shows or hides one. */
  private list(): void {
    const { channels } = this.places;
    const top = channels.scrollTop;
    channels.replaceChildren(
      ...this.listed.map((c) => {
        const { name, unit } = this.scene.channels[c]!;
        const [row, dot, text, value] = [document.createElement("button"), ...["i", "span", "span"].map((t) => document.createElement(t))];
        row!.className = "channel";
        row!.title = `${name} [${unit}]`;
        row!.dataset.testid = `channel-${c}`;
        row!.setAttribute("aria-pressed", String(this.shown.has(c)));
        dot!.className = "swatch";
        if (this.shown.has(c)) dot!.style.background = dot!.style.borderColor = this.colorOf(c);
        text!.className = "name";
        text!.textContent = name;
        value!.className = "value";
        row!.append(dot!, text!, value!);
        row!.onclick = () => {
          if (!this.shown.delete(c)) this.shown.add(c);
          this.build(this.frames);
          channels.querySelector<HTMLElement>(`[data-testid=channel-${c}]`)?.focus();
        };
        return row!;
      }),
    );
    this.values = [...channels.querySelectorAll<HTMLElement>(".value")];
    channels.scrollTop = top;
  }
}

/** A value in at most six characters or so. */
function short(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size < 1e-6) return "0"; // of no unit that is plotted anybody wants less
  const text = size >= 1e5 || size < 1e-3 ? value.toExponential(1) : value.toFixed(size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
  return text.replace(/-/g, "−");
}
