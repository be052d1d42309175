// Plots over time, linked to the time line: a group of channels at a time, a line at the present, click or drag to seek.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { SERIES, THEMES, type ThemeName } from "./theme";
import { GROUPS, type Frame, type SceneMessage } from "./types";

const FIRST_SHOWN = 6;
const MOST_POINTS = 4000;

export class Plots {
  group = "";
  private chart: uPlot | null = null;
  private theme: ThemeName = "light";
  private shown = new Set<number>(); // channel numbers drawn
  private readonly now = document.createElement("div");
  private values: HTMLElement[] = [];
  private listed: number[] = []; // channels of the group, those shown at first before the others
  private known = -1; // frames in the chart, and its last time, to see whether it is stale
  private knownEnd = NaN;

  constructor(
    private readonly scene: SceneMessage,
    private readonly places: { groups: HTMLElement; chart: HTMLElement; channels: HTMLElement },
    private readonly onSeek: (time: number) => void,
  ) {
    this.now.className = "plot-now";
    const there = GROUPS.filter((group) => scene.channels.some((c) => c.group === group));
    const rest = [...new Set(scene.channels.map((c) => c.group))].filter((g) => !(GROUPS as readonly string[]).includes(g));
    places.groups.replaceChildren(
      ...[...there, ...rest].map((group) => {
        const button = document.createElement("button");
        button.textContent = group === "zmp" ? "ZMP" : group[0]!.toUpperCase() + group.slice(1);
        button.dataset.testid = `group-${group}`;
        button.dataset.group = group;
        button.onclick = () => this.choose(group);
        return button;
      }),
    );
    new ResizeObserver(() => this.resize()).observe(places.chart);
    this.group = there[0] ?? rest[0] ?? "";
    if (!this.group) places.chart.innerHTML = `<p class="empty">This scene has no channels to plot.</p>`;
  }

  /** Draw another group of channels; its widest ranging ones are shown first. */
  choose(group: string, frames: readonly Frame[] = this.frames): void {
    this.group = group;
    const channels = this.channelsOf(group);
    this.shown = new Set(this.busiest(channels, frames));
    this.listed = [...channels.filter((c) => this.shown.has(c)), ...channels.filter((c) => !this.shown.has(c))];
    this.build(frames);
  }

  setTheme(theme: ThemeName): void {
    this.theme = theme;
    if (this.chart) this.build(this.frames);
  }

  private frames: readonly Frame[] = [];

  /** Follow the frames: new data where there are any, then the line at the present and the values beside it. */
  show(frames: readonly Frame[], index: number, range: [number, number]): void {
    this.frames = frames;
    if (!this.group || this.places.chart.offsetParent === null) return;
    if (!this.chart) this.choose(this.firstBusy(frames), frames);
    const end = frames[frames.length - 1]?.time ?? NaN;
    if (frames.length !== this.known || end !== this.knownEnd) this.chart!.setData(this.data(frames), false);
    [this.known, this.knownEnd] = [frames.length, end];
    const scale = this.chart!.scales.x!;
    if (scale.min !== range[0] || scale.max !== range[1]) this.chart!.setScale("x", { min: range[0], max: range[1] });
    const frame = frames[index];
    if (!frame) return;
    // not valToPos: a scale that was just set takes effect after this frame
    const part = range[1] > range[0] ? (frame.time - range[0]) / (range[1] - range[0]) : 0;
    const left = Math.min(Math.max(part, 0), 1) * this.chart!.over.clientWidth;
    this.now.style.transform = `translateX(${left}px)`;
    this.listed.forEach((channel, i) => (this.values[i]!.textContent = short(frame.channels[channel]!)));
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
    return channels.map((c) => [c, this.spread(c, frames)] as const).sort((a, b) => b[1] - a[1]).slice(0, FIRST_SHOWN).map(([c]) => c);
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

  private data(frames: readonly Frame[]): uPlot.AlignedData {
    const stride = Math.max(1, Math.ceil(frames.length / MOST_POINTS));
    const used = stride === 1 ? frames : frames.filter((_, i) => i % stride === 0);
    const column = (c: number) => used.map((f) => (Number.isFinite(f.channels[c]!) ? f.channels[c]! : null));
    return [used.map((f) => f.time), ...this.drawnChannels().map(column)] as uPlot.AlignedData;
  }

  private drawnChannels(): number[] {
    return this.channelsOf(this.group).filter((c) => this.shown.has(c));
  }

  private colorOf(channel: number): string {
    return SERIES[this.drawnChannels().indexOf(channel) % SERIES.length]!;
  }

  private build(frames: readonly Frame[]): void {
    this.chart?.destroy();
    const { ink, faint } = THEMES[this.theme];
    const { chart: place, groups } = this.places;
    for (const button of groups.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.group === this.group));
    }
    const units = [...new Set(this.drawnChannels().map((c) => this.scene.channels[c]!.unit))].join(", ");
    const px = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const font = `${Math.round(0.8 * px)}px system-ui, sans-serif`;
    const axis = { stroke: ink, font, labelFont: font, grid: { stroke: faint, width: 1 }, ticks: { stroke: faint, width: 1 } };
    this.chart = new uPlot(
      {
        width: place.clientWidth - 0.4 * px,
        height: place.clientHeight,
        padding: [8, 14, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
        scales: { x: { time: false, auto: false, range: (_u, min, max) => [min, max] } },
        axes: [
          { ...axis, size: 2 * px, values: (_u, ticks) => ticks.map((t) => `${+t.toFixed(3)} s`) },
          { ...axis, size: 4 * px, label: units, labelSize: 1.5 * px },
        ],
        series: [{}, ...this.drawnChannels().map((c) => ({ stroke: this.colorOf(c), width: 1.6, points: { show: false } }))],
      },
      this.data(frames),
      place,
    );
    this.known = -1;
    const over = this.chart.over;
    over.dataset.testid = "plot-area";
    over.append(this.now);
    const seek = (event: PointerEvent) => this.onSeek(this.chart!.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
    over.onpointerdown = (event) => {
      over.setPointerCapture(event.pointerId);
      seek(event);
    };
    over.onpointermove = (event) => {
      if (event.buttons & 1) seek(event);
    };
    this.list();
  }

  /** The channels of the group beside the plot; a click shows or hides one. */
  private list(): void {
    const { channels } = this.places;
    const top = channels.scrollTop;
    channels.replaceChildren(
      ...this.listed.map((c) => {
        const { name, unit } = this.scene.channels[c]!;
        const [row, dot, label, value] = [document.createElement("button"), ...["i", "span", "span"].map((t) => document.createElement(t))];
        row!.className = "channel";
        row!.title = `${name} [${unit}]`;
        row!.dataset.testid = `channel-${c}`;
        row!.setAttribute("aria-pressed", String(this.shown.has(c)));
        dot!.className = "swatch";
        if (this.shown.has(c)) {
          dot!.style.background = dot!.style.borderColor = this.colorOf(c);
        }
        label!.className = "name";
        label!.textContent = name;
        value!.className = "value";
        row!.append(dot!, label!, value!);
        row!.onclick = () => {
          if (!this.shown.delete(c)) this.shown.add(c);
          this.build(this.frames);
        };
        return row!;
      }),
    );
    this.values = [...channels.querySelectorAll<HTMLElement>(".value")];
    channels.scrollTop = top;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.places.chart;
    if (this.chart && width && height) this.chart.setSize({ width: width - 6, height });
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
