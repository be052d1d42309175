// Frames from bytes. Live: one binary message a frame ("BKF1"), or many frames in a row. Embedded: all frames, quantised to 16 bits, each column
// as differences in time, deflated, base64; the layout is written down in bunraku/viewer/one_file.py.
import { CONTACT, FIGURE, POSE, type Frame } from "./types";

const MAGIC = 0x31464b42; // "BKF1", little endian
const FILE = 0x31444b42; // "BKD1"
const HEADER = 32; // bytes
const MISSING = -32768;

/** One binary message of the server, a frame or several in a row; throws an Error with one sentence where it is not one. */
export function decodeFrames(data: ArrayBuffer): Frame[] {
  const view = new DataView(data);
  const frames: Frame[] = [];
  let at = 0;
  do {
    if (data.byteLength - at < HEADER || view.getUint32(at, true) !== MAGIC) throw new Error("a message is not a frame");
    const time = view.getFloat64(at + 8, true);
    const [nb, nc, ng, nx] = [16, 20, 24, 28].map((k) => view.getUint32(at + k, true)) as [number, number, number, number];
    const sizes = [nb * POSE, nc * CONTACT, ng * FIGURE, nx];
    at += HEADER;
    if (at + 4 * sizes.reduce((a, b) => a + b, 0) > data.byteLength) throw new Error("a frame has the wrong length");
    const [poses, contacts, figures, channels] = sizes.map((size) => {
      const part = new Float32Array(data, at, size);
      at += 4 * size;
      return part;
    }) as [Float32Array, Float32Array, Float32Array, Float32Array];
    frames.push({ time, poses, contacts, figures, channels });
  } while (at < data.byteLength);
  return frames;
}

/** A file that the server gives: its name and content; null where a message is none. */
export function decodeFile(data: ArrayBuffer): { name: string; content: ArrayBuffer } | null {
  const view = new DataView(data);
  if (data.byteLength < 8 || view.getUint32(0, true) !== FILE) return null;
  const length = view.getUint32(4, true);
  if (8 + length > data.byteLength) throw new Error("a file has the wrong length");
  return { name: new TextDecoder().decode(new Uint8Array(data, 8, length)), content: data.slice(8 + length) };
}

interface Header {
  version: number;
  count: number;
  bodies: number;
  figures: number;
  channels: number;
  contacts: number;
  start: number;
  scale: { poses: number[]; figures: number[]; channels: number[]; contacts: number[] };
  offset: { poses: number[]; figures: number[]; channels: number[]; contacts: number[] };
}

/** The bytes of base64 of a zlib stream. */
export async function inflate(base64: string): Promise<ArrayBuffer> {
  const packed = Uint8Array.from(atob(base64.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/** All frames of a page that holds its own data. */
export async function decodeEmbedded(base64: string): Promise<Frame[]> {
  const data = await inflate(base64);
  const view = new DataView(data);
  const length = view.getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 8, length))) as Header;
  if (header.version !== 1) throw new Error(`the frames have version ${header.version}, this page reads version 1`);
  const n = header.count;
  let at = 8 + length;
  const take = <T>(make: (buffer: ArrayBuffer, from: number, size: number) => T, size: number, bytes: number): T => {
    const part = make(data, at, size);
    at += Math.ceil((size * bytes) / 4) * 4;
    return part;
  };
  const int16 = (b: ArrayBuffer, from: number, size: number) => new Int16Array(b, from, size);
  const times = take((b, from, size) => new Float32Array(b, from, size), n, 4);
  const counts = take((b, from, size) => new Uint16Array(b, from, size), n, 2);
  const columns = (width: number, scale: number[], offset: number[]) =>
    undelta(take(int16, n * width, 2), n, width, scale, offset);
  const poses = columns(header.bodies * POSE, header.scale.poses, header.offset.poses);
  const figures = columns(header.figures * FIGURE, header.scale.figures, header.offset.figures);
  const channels = columns(header.channels, header.scale.channels, header.offset.channels);
  const raw = take(int16, header.contacts * CONTACT, 2);
  const contacts = Float32Array.from(raw, (value, i) => {
    const column = Math.floor(i / header.contacts);
    return value * header.scale.contacts[column]! + header.offset.contacts[column]!;
  });
  let row = 0;
  return Array.from(times, (time, k) => {
    const count = counts[k]!;
    const touching = new Float32Array(count * CONTACT);
    for (let i = 0; i < count; i++) {
      for (let c = 0; c < CONTACT; c++) touching[i * CONTACT + c] = contacts[c * header.contacts + row + i]!;
    }
    row += count;
    return {
      time: header.start + time,
      poses: poses[k]!,
      contacts: touching,
      figures: figures[k]!,
      channels: channels[k]!,
    };
  });
}

/** Rows in time from columns of differences (modulo 2^16): value = integer * scale + offset, NaN where it is missing. */
function undelta(raw: Int16Array, n: number, width: number, scale: number[], offset: number[]): Float32Array[] {
  const rows = Array.from({ length: n }, () => new Float32Array(width));
  for (let c = 0; c < width; c++) {
    let value = 0;
    for (let k = 0; k < n; k++) {
      value = ((value + raw[c * n + k]!) << 16) >> 16;
      rows[k]![c] = value === MISSING ? NaN : value * scale[c]! + offset[c]!;
    }
  }
  return rows;
}

/** Index of the last frame at or before a time; frames are in order of time. */
export function frameAt(frames: readonly Frame[], time: number): number {
  let [low, high] = [0, frames.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (frames[middle]!.time <= time + 1e-6) low = middle;
    else high = middle - 1;
  }
  return low;
}
