// What the page may ask of a server: one small JSON text a command. bunraku.viewer.messages (Python) has the same list
// and checks every one; docs/viewer.md says how to add another.
import type { Vec3 } from "./types";

export type Command =
  | { type: "hello" } // send everything again
  | { type: "ready" } // the first picture is drawn: what waits for its audience begins
  | { type: "play" | "pause" | "restart" }
  | { type: "step"; n: number } // frames of a recording, steps of a world; back where n < 0
  | { type: "frame"; n: number } // frames as they are displayed, of a sixtieth of a second
  | { type: "speed"; value: number }
  | { type: "seek" | "go_on"; time: number }
  | { type: "loop"; on: 0 | 1 }
  // of a stage; points in the body's frame, positions in the world, m
  | { type: "pin" | "drag"; link: string; point: Vec3; pose: boolean; axes?: string; rotation?: "link" }
  | { type: "to"; position: Vec3 }
  | { type: "release"; name: string }
  | { type: "grip"; link?: string; point?: Vec3; other?: string } // take hold, or let go; without a link: the one that is dragged
  | { type: "drop" | "release_all" | "undo" | "reset" | "save" }
  | { type: "desire"; joint: string; value: number[] } // rad or m; a ball's rotation vector
  | { type: "undesire"; joint: string }
  | { type: "balance" | "dynamics" | "steps" | "rises" | "record"; on: boolean }
  | { type: "get_up" }
  | { type: "walk"; place: [number, number] } // m, on the floor
  | { type: "export"; format: "bvh" | "csv" | "gif" };
