// Controls are off while the server that they speak to is gone, and on again when it is back. What the page can do by itself stays on:
// looking back at what it kept of a running world.
import { byId } from "./dom";
import type { Source } from "./source";

export class Gone {
  private known = "";

  show(source: Source): void {
    const gone = source.remote && !source.connected;
    const state = `${gone} ${source.live}`;
    if (state === this.known) return;
    this.known = state;
    byId<HTMLFieldSetElement>("desk-set").disabled = gone;
    for (const input of byId("joints").querySelectorAll<HTMLInputElement>("input, button")) input.disabled = gone;
    byId<HTMLButtonElement>("play").disabled = byId<HTMLSelectElement>("speed").disabled = gone;
    for (const id of ["restart", "loop"]) byId<HTMLButtonElement>(id).disabled = gone;
    const stuck = gone && !source.live;
    for (const id of ["back", "forward", "timeline"]) byId<HTMLInputElement>(id).disabled = stuck;
  }
}
