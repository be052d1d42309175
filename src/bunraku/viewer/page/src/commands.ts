// What the page may ask of a server: one small JSON text a command. bunraku.viewer.messages (Python) has the same list
// and checks every one; docs/viewer.md says how to add another.

export type Command =
  | { type: "hello" } // send everything again
  | { type: "play" }
  | { type: "pause" }
  | { type: "step"; n: number } // frames of a recording, steps of a world; back (n < 0) only in a recording
  | { type: "speed"; value: number }
  | { type: "seek"; time: number };
