// What the page may ask of a server: one small JSON text a command. bunraku.viewer.messages (Python) has the same list
// and checks every one; docs/viewer.md says how to add another.
import type { Vec3 } from "./types";

export type Command =
  | { type: "hello" } // send everything again
  | { type: "play" }
  | { type: "pause" }
  | { type: "step"; n: number } // frames of a recording, steps of a world; back (n < 0) only in a recording
  | { type: "speed"; value: number }
  | { type: "seek"; time: number }
  // of a stage; points in the body's frame, positions in the world, m
  | { type: "pin" | "drag"; link: string; point: Vec3; pose: boolean }
  | { type: "to"; position: Vec3 }
  | { type: "release"; name: string }
  | { type: "drop" | "release_all" | "undo" | "reset" | "save" }
  | { type: "balance" | "record"; on: boolean }
  | { type: "export"; format: "bvh" | "csv" | "gif" };
