// What the page is told: the scene once, then frames. The same shapes of data as bunraku.viewer.messages (Python).

export type Vec3 = [number, number, number];

export interface ShapeMessage {
  body: number; // index into bodies, -1 for fixed in the world
  kind: "plane" | "sphere" | "capsule" | "cylinder" | "cone" | "ellipsoid" | "box" | "hull" | "mesh";
  size: number[]; // half sizes, m
  position: Vec3; // in the body's frame, m
  quaternion: [number, number, number, number]; // w x y z
  color: [number, number, number, number] | null;
  name: string;
  points?: Vec3[];
  mesh?: number; // of kind "mesh": index into the scene's meshes
  role?: "collision"; // belongs to the layer "shapes"
  skinned?: boolean; // a skin stands for it
}

/** A visual mesh; see bunraku/viewer/mesh_messages.py. */
export interface MeshMessage {
  vertices: number;
  triangles: number;
  low: Vec3;
  high: Vec3;
  painted: boolean;
  data: string;
}

/** The skin of a figure; see bunraku/viewer/skins.py. */
export interface SkinMessage {
  figure: string;
  look: string;
  gloss: number;
  bones: [number, number, number][]; // body a, body b, share of the way from a's attitude to b's
  turns: Record<string, [number, number, number, number]>; // body -> attitude of its link in it, w x y z
  rest: [number, number, number, number, number, number, number][]; // of the bones in the mesh
  vertices: number;
  triangles: number;
  scale: number;
  offset: Vec3;
  palette: Vec3[];
  data: string;
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
  meshes?: MeshMessage[];
  skins?: SkinMessage[];
  figures: string[];
  channels: ChannelMessage[];
  start: number; // s
  duration: number | null; // s; null: a running world
  live: boolean;
  connections: ConnectionMessage[];
  events?: EventMessage[];
  play?: boolean; // of a page that holds its frames: whether it plays by itself (it does), and again and again
  loop?: boolean;
  limits?: Record<string, [number, number]>; // of channels of the group angles, in their unit
  stage?: { figure: string; actors?: string[]; joints: JointRange[]; grips?: Grip[] }; // who may be pinned and dragged; things where they are held
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
  waiting?: boolean; // for a page that says it is ready
  rate?: number | null; // times real time, as it goes
  loop?: boolean;
  note?: boolean; // the error is a word to this viewer alone, soon forgotten
}

/** A joint with sliders: one number, or three of a ball (its rotation vector). */
export interface JointRange {
  name: string;
  unit: string;
  least: number[];
  most: number[];
}

/** A named point of a link, in its frame: a hand, a toe. */
export interface Grip {
  name: string;
  link: string;
  point: Vec3;
}

/** A pin or drag: `point` of a body (its frame) should be at `target` (world). */
export interface StageItem {
  name: string;
  kind: "pin" | "drag";
  link: string;
  body: number;
  point: Vec3;
  pose: boolean; // its orientation is held, too
  axes: string; // along and about which it holds
  target: Vec3;
  metres: number; // off
  radians: number;
}

/** A hand that holds something: where (world), and the force on it, N. */
export interface HeldMessage {
  link: string;
  other: string;
  at: Vec3;
  force: Vec3;
}

/** The stage before every frame. */
export interface StageMessage {
  type: "stage";
  state: string; // standing, falling, fallen
  limits: Record<string, string>; // joints beyond their limits, and by how much
  items: StageItem[];
  grips?: HeldMessage[];
  holder: number; // the viewer that drags, 0: nobody
  balance: boolean;
  dynamics: boolean; // false: kinematics alone
  steps: boolean; // it steps where it must
  rises: boolean; // it gets up by itself
  joints: Record<string, number[]>; // as they are
  desired: Record<string, number[]>; // as they should be
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
