// The plots as files: a picture with names of the curves below, a table with a column a curve (CSV).
import { THEMES, type ThemeName } from "./theme";
import type { Frame, SceneMessage } from "./types";

/** The plots side by side and the names of their curves, as a PNG. */
export function pictureOf(charts: readonly HTMLCanvasElement[], legend: readonly { name: string; color: string }[], theme: ThemeName, paper: string): Promise<Blob | null> {
  const scale = devicePixelRatio;
  const [line, gap] = [20 * scale, 16 * scale];
  const width = charts.reduce((sum, chart) => sum + chart.width, 0);
  const rows: { name: string; color: string; x: number; y: number }[] = [];
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d")!;
  const font = `${12 * scale}px system-ui, sans-serif`;
  pen.font = font;
  let [x, y] = [gap, 0];
  for (const { name, color } of legend) {
    const wide = pen.measureText(name).width + 3 * gap;
    if (x > gap && x + wide > width) [x, y] = [gap, y + line];
    rows.push({ name, color, x, y });
    x += wide;
  }
  const high = Math.max(...charts.map((chart) => chart.height));
  [canvas.width, canvas.height] = [width, high + y + 2 * line];
  pen.fillStyle = paper;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  let left = 0;
  for (const chart of charts) {
    pen.drawImage(chart, left, 0);
    left += chart.width;
  }
  pen.font = font;
  pen.textBaseline = "middle";
  for (const row of rows) {
    const middle = high + row.y + line;
    pen.fillStyle = row.color;
    pen.fillRect(row.x, middle - 1.5 * scale, gap, 3 * scale);
    pen.fillStyle = THEMES[theme].ink;
    pen.fillText(row.name, row.x + 1.4 * gap, middle);
  }
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** The curves of some channels: time and values, comma separated, a header with names and units. */
export function tableOf(scene: SceneMessage, channels: readonly number[], frames: readonly Frame[]): string {
  const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const head = ["time [s]", ...channels.map((c) => `${scene.channels[c]!.name} [${scene.channels[c]!.unit}]`)].map(cell);
  const number = (x: number) => (Number.isFinite(x) ? String(Number(x.toPrecision(7))) : "");
  const rows = frames.map((frame) => [String(Number(frame.time.toFixed(6))), ...channels.map((c) => number(frame.channels[c]!))].join(","));
  return `${[head.join(","), ...rows].join("\n")}\n`;
}
