// One plot over time: the curves of a group, a line at the present, marks where peaks were cut off. Click or drag in it to go to that time;
// the values at the pointer are told.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { peaksOf, rangeOf, type Range } from "./ranges";
import { THEMES, type ThemeName } from "./theme";
import type { Frame, SceneMessage } from "./types";

const MOST_POINTS = 1600; // drawn of a curve; of longer ones the least and the largest value of each stretch

export interface ChartOptions {
  channels: number[]; // drawn
  colors: string[]; // of these
  theme: ThemeName;
  whole: boolean; // with all peaks
  onSeek(time: number): void;
  onPoint(time: number | null): void; // the pointer is over this time
}

export class Chart {
  readonly element = document.createElement("div");
  cut = 0; // peaks that are cut off
  cost = 0; // ms that it took to draw
  private began = 0;
  private readonly plot: uPlot;
  private readonly now = document.createElement("div");
  private range: Range = { low: 0, high: 1, cutLow: false, cutHigh: false };

  constructor(
    place: HTMLElement,
    scene: SceneMessage,
    private readonly options: ChartOptions,
    frames: readonly Frame[],
  ) {
    this.element.className = "plot";
    this.now.className = "plot-now";
    place.append(this.element);
    const { ink, faint } = THEMES[options.theme];
    const units = [...new Set(options.channels.map((c) => scene.channels[c]!.unit))].join(", ");
    const px = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const font = `${Math.round(0.8 * px)}px system-ui, sans-serif`;
    const axis = { stroke: ink, font, labelFont: font, grid: { stroke: faint, width: 1 }, ticks: { stroke: faint, width: 1 } };
    this.plot = new uPlot(
      {
        width: Math.max(this.element.clientWidth, 40),
        height: Math.max(this.element.clientHeight, 40),
        padding: [8, 14, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
        scales: {
          x: { time: false, auto: false, range: (_u, min, max) => [min, max] },
          y: { range: () => [this.range.low, this.range.high] },
        },
        axes: [
          { ...axis, size: 2 * px, values: (_u, ticks) => ticks.map((t) => `${+t.toFixed(3)} s`) },
          { ...axis, size: 4 * px, label: units, labelSize: 1.5 * px },
        ],
        series: [{}, ...options.colors.map((stroke) => ({ stroke, width: 1.6, points: { show: false } }))],
        hooks: {
          drawClear: [() => (this.began = performance.now())],
          draw: [() => this.markPeaks(), () => (this.cost = performance.now() - this.began)],
          setCursor: [(u) => options.onPoint(u.cursor.left != null && u.cursor.left >= 0 ? u.posToVal(u.cursor.left, "x") : null)],
        },
      },
      this.data(frames),
      this.element,
    );
    const { over } = this.plot;
    over.dataset.testid = "plot-area";
    over.append(this.now);
    const seek = (event: PointerEvent) => options.onSeek(this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
    over.onpointerdown = (event) => {
      over.setPointerCapture(event.pointerId);
      seek(event);
    };
    over.onpointermove = (event) => {
      if (event.buttons & 1) seek(event);
    };
  }

  get canvas(): HTMLCanvasElement {
    return this.plot.ctx.canvas;
  }

  set(frames: readonly Frame[]): void {
    this.plot.batch(() => {
      this.plot.setData(this.data(frames), false);
      this.plot.setScale("y", { min: this.range.low, max: this.range.high });
    });
  }

  /** The line at the present, and the time that the plot spans. */
  show(time: number, [start, end]: [number, number]): void {
    const scale = this.plot.scales.x!;
    if (scale.min !== start || scale.max !== end) this.plot.setScale("x", { min: start, max: end });
    // not valToPos: a scale that was just set takes effect after this frame
    const part = end > start ? (time - start) / (end - start) : 0;
    this.now.style.transform = `translateX(${100 * Math.min(Math.max(part, 0), 1)}%)`; // it is as wide as the plot
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width && height) this.plot.setSize({ width, height });
  }

  remove(): void {
    this.plot.destroy();
    this.element.remove();
  }

  private data(frames: readonly Frame[]): uPlot.AlignedData {
    const columns = this.options.channels.map((c) => frames.map((f) => (Number.isFinite(f.channels[c]!) ? f.channels[c]! : null)));
    const long = frames.length > MOST_POINTS;
    const stretch = Math.ceil((2 * frames.length) / MOST_POINTS); // of frames, for two points
    const drawn = long ? columns.map((column) => ends(column, stretch)) : columns;
    this.range = rangeOf(drawn, this.options.whole);
    const times = frames.map(({ time }) => time);
    return [long ? times.filter((_, i) => i % stretch === 0 || i % stretch === stretch >> 1) : times, ...drawn] as uPlot.AlignedData;
  }

  /** Small triangles at the edge where a peak goes on beyond it. */
  private markPeaks(): void {
    this.cut = 0;
    if (!this.range.cutLow && !this.range.cutHigh) return;
    const { ctx: pen, bbox } = this.plot;
    const size = 5 * devicePixelRatio;
    this.options.colors.forEach((color, k) => {
      for (const { index, up } of peaksOf(this.plot.data[k + 1] as (number | null)[], this.range)) {
        const x = this.plot.valToPos(this.plot.data[0][index]!, "x", true);
        if (x < bbox.left || x > bbox.left + bbox.width) continue;
        const y = up ? bbox.top : bbox.top + bbox.height;
        const back = up ? 1.5 * size : -1.5 * size;
        pen.fillStyle = color;
        pen.beginPath();
        pen.moveTo(x, y);
        pen.lineTo(x - size, y + back);
        pen.lineTo(x + size, y + back);
        pen.fill();
        this.cut += 1;
      }
    });
  }
}

/** Of each stretch of a column its least and its largest value, in their order: no peak is lost. As many as stretches begin and have a middle. */
function ends(column: readonly (number | null)[], stretch: number): (number | null)[] {
  const out: (number | null)[] = [];
  for (let from = 0; from < column.length; from += stretch) {
    const to = Math.min(from + stretch, column.length);
    let [least, most] = [-1, -1];
    for (let i = from; i < to; i++) {
      const value = column[i];
      if (value == null) continue;
      if (least < 0 || value < column[least]!) least = i;
      if (most < 0 || value > column[most]!) most = i;
    }
    const [first, second] = least < most ? [least, most] : [most, least];
    out.push(first < 0 ? null : column[first]!);
    if (from + (stretch >> 1) < column.length) out.push(second < 0 ? null : column[second]!);
  }
  return out;
}
