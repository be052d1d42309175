// What the page is told: the scene once, then frames. The same shapes of data as bunraku.viewer.messages (Python).

export type Vec3 = [number, number, number];

export interface ShapeMessage {
  body: number; // index into bodies, -1 for fixed in the world
  kind: "plane" | "sphere" | "capsule" | "cylinder" | "box" | "hull";
  size: number[]; // half sizes, m
  position: Vec3; // in the body's frame, m
  quaternion: [number, number, number, number]; // w x y z
  color: [number, number, number, number] | null;
  name: string;
  points?: Vec3[];
}

export interface ChannelMessage {
  name: string;
  unit: string;
  group: string;
}

export interface ConnectionMessage {
  number: number;
  kind: "connection" | "spring";
  body_a: number; // -1: the world, so this is a pin
  body_b: number;
  point_a: Vec3; // in the frame of body a, m
  point_b: Vec3;
  from?: number; // s; a recording's connections have their times, those of a running world hold now
  to?: number | null;
}

/** Something that happened in a recording: a mark on its time line. */
export interface EventMessage {
  time: number; // s
  kind: string;
  text: string;
}

export interface SceneMessage {
  type: "scene";
  version: number;
  title: string;
  dt: number;
  bodies: { name: string; figure: string | null }[];
  shapes: ShapeMessage[];
  figures: string[];
  channels: ChannelMessage[];
  start: number; // s
  duration: number | null; // s; null: a running world
  live: boolean;
  connections: ConnectionMessage[];
  events?: EventMessage[];
  stage?: { figure: string }; // the figure that may be pinned and dragged
}

/** One moment: poses nb x 7 (x y z qw qx qy qz), contacts nc x 10 (x y z fx fy fz patch state body_a body_b), figures ng x 6 (com, zmp). */
export interface Frame {
  time: number;
  poses: Float32Array;
  contacts: Float32Array;
  figures: Float32Array;
  channels: Float32Array;
}

export interface StatusMessage {
  type: "status";
  playing: boolean;
  speed: number;
  time: number;
  duration: number | null;
  ended: boolean;
  error: string | null;
  note?: boolean; // the error is a word to this viewer alone, soon forgotten
}

/** A pin or drag: `point` of a body (its frame) should be at `target` (world). */
export interface StageItem {
  name: string;
  kind: "pin" | "drag";
  link: string;
  body: number;
  point: Vec3;
  pose: boolean; // its orientation is held, too
  target: Vec3;
  metres: number; // off
  radians: number;
}

/** The stage before every frame. */
export interface StageMessage {
  type: "stage";
  state: string; // standing, falling, fallen
  limits: Record<string, string>; // joints beyond their limits, and by how much
  items: StageItem[];
  holder: number; // the viewer that drags, 0: nobody
  balance: boolean;
  recording: number | null; // s
  take: boolean; // there is one to export
  making: string | null; // the format of a file that is being made
  undo: string | null; // what would be undone
}

export const POSE = 7;
export const CONTACT = 10;
export const FIGURE = 6;
export const GROUPS = ["forces", "torques", "angles", "energy", "zmp", "other"] as const;

/** Whether two scenes have the same bodies, shapes and channels, so that frames of the one fit the other. */
export function sameCast(a: SceneMessage, b: SceneMessage): boolean {
  const cast = ({ title, bodies, shapes, figures, channels }: SceneMessage) => JSON.stringify([title, bodies, shapes, figures, channels]);
  return cast(a) === cast(b);
}

/** The scene of a JSON text, or an error that says what is wrong with it. */
export function parseScene(text: string): SceneMessage {
  const scene = JSON.parse(text) as SceneMessage;
  if (scene?.type !== "scene" || !Array.isArray(scene.bodies) || !Array.isArray(scene.shapes)) {
    throw new Error("the scene message has no bodies and shapes; the file is damaged");
  }
  if (scene.version !== 1) throw new Error(`the scene has version ${scene.version}, this page reads version 1`);
  return scene;
}
