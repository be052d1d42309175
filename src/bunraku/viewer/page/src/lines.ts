// Lines a few pixels wide, as wide on a projector as on a laptop, many in one draw: segments of any colours that are laid anew frame by frame,
// and trails, which grow with the frames. What is sent to the graphics card is what has changed.
import { Color, DynamicDrawUsage, type InterleavedBufferAttribute } from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import type { Frame, Vec3 } from "./types";

const SEGMENT = 6; // numbers of one: its start and its end
const paint = new Color();

/** A buffer of segments, or of their colours, of which the first `used` numbers were written since it was drawn. */
class Rows {
  readonly data: Float32Array;

  constructor(private readonly starts: InterleavedBufferAttribute) {
    this.starts.data.setUsage(DynamicDrawUsage);
    this.data = this.starts.data.array as Float32Array;
  }

  send(from: number, to: number): void {
    if (from === to) return;
    this.starts.data.clearUpdateRanges();
    this.starts.data.addUpdateRange(from, to - from);
    this.starts.data.needsUpdate = true;
  }
}

/** Segments laid anew each time: `clear`, `add` …, `finish`. */
export class Segments {
  readonly line: LineSegments2;
  private geometry: LineSegmentsGeometry;
  private places: Rows;
  private paints: Rows;
  private used = 0;

  constructor(
    width: number,
    private room = 64,
  ) {
    [this.geometry, this.places, this.paints] = buffers(room);
    this.line = new LineSegments2(this.geometry, new LineMaterial({ linewidth: width, vertexColors: true }));
    this.line.frustumCulled = false;
    this.line.visible = false;
  }

  clear(): void {
    this.used = 0;
  }

  add(a: Vec3, b: Vec3, color: number): void {
    if (this.used === this.room) this.grow();
    const at = SEGMENT * this.used++;
    this.places.data.set(a, at);
    this.places.data.set(b, at + 3);
    paint.setHex(color).toArray(this.paints.data, at);
    paint.toArray(this.paints.data, at + 3);
  }

  finish(): void {
    this.places.send(0, SEGMENT * this.used);
    this.paints.send(0, SEGMENT * this.used);
    this.geometry.instanceCount = this.used;
    this.line.visible = this.used > 0;
  }

  private grow(): void {
    const [places, paints] = [this.places.data, this.paints.data];
    this.geometry.dispose();
    this.room *= 2;
    [this.geometry, this.places, this.paints] = buffers(this.room);
    this.places.data.set(places);
    this.paints.data.set(paints);
    this.line.geometry = this.geometry;
  }
}

function buffers(room: number): [LineSegmentsGeometry, Rows, Rows] {
  const geometry = new LineSegmentsGeometry();
  geometry.setPositions(new Float32Array(SEGMENT * room));
  geometry.setColors(new Float32Array(SEGMENT * room));
  const rows = (name: string) => new Rows(geometry.getAttribute(name) as InterleavedBufferAttribute);
  return [geometry, rows("instanceStart"), rows("instanceColorStart")];
}

/** The way of a point through the frames up to the present: a segment is added a frame; only after a jump, or when it is full, all is laid anew,
 * thinned out to half of its room. */
export class Trail {
  readonly line: LineSegments2;
  private readonly geometry = new LineSegmentsGeometry();
  private readonly rows: Rows;
  private used = 0;
  private unsent = 0; // the first segment that was not drawn yet
  private first = NaN; // time of the first frame
  private last = -1; // the frame laid last, and its time
  private time = NaN;
  private before: Vec3 | null = null;

  constructor(
    color: number,
    width = 2.2,
    private readonly most = 1500,
  ) {
    this.geometry.setPositions(new Float32Array(SEGMENT * most));
    this.rows = new Rows(this.geometry.getAttribute("instanceStart") as InterleavedBufferAttribute);
    this.line = new LineSegments2(this.geometry, new LineMaterial({ color, linewidth: width }));
    this.line.frustumCulled = false;
    this.line.visible = false;
    this.line.onAfterRender = () => (this.unsent = this.used);
  }

  /** `at`: the point in a frame; where it is NaN there is none. */
  follow(frames: readonly Frame[], index: number, at: (frame: Frame) => Vec3): void {
    const grown = index >= this.last && frames[0]?.time === this.first && frames[this.last]?.time === this.time;
    if (!grown || this.used + index - this.last > this.most) this.anew(frames, index, at);
    else for (let i = this.last + 1; i <= index; i++) this.to(at(frames[i]!));
    [this.first, this.last, this.time] = [frames[0]!.time, index, frames[index]!.time];
    if (this.unsent < this.used) this.rows.send(SEGMENT * this.unsent, SEGMENT * this.used);
    this.geometry.instanceCount = this.used;
    this.line.visible = this.used > 0;
  }

  private anew(frames: readonly Frame[], index: number, at: (frame: Frame) => Vec3): void {
    this.used = this.unsent = 0;
    this.before = null;
    const stride = Math.ceil((2 * (index + 1)) / this.most);
    for (let i = 0; i < index; i += stride) this.to(at(frames[i]!));
    this.to(at(frames[index]!));
  }

  private to(p: Vec3): void {
    if (!Number.isFinite(p[0])) return;
    if (this.before) {
      this.rows.data.set(this.before, SEGMENT * this.used);
      this.rows.data.set(p, SEGMENT * this.used + 3);
      this.used += 1;
    }
    this.before = p;
  }
}
