// The keyboard. Keys of a focused control keep their meaning there: space and Enter press a button that was reached by Tab, arrows move a
// slider of a joint. What was pressed with the mouse gives the focus back, so that space plays and pauses again.
import { byId } from "./dom";
import { label, type Word } from "./words";

export interface Actions {
  toggle(): void;
  step(n: number): void; // displayed frames
  stepOnce(n: number): void; // of the recording, or of the world
  restart(): void;
  goOn(): void;
  loop(): void;
  shiftSpeed(notches: number): void;
  jump(end: "start" | "end"): void;
  event(n: number): void;
  view(number: number): void;
  turn(around: number, up: number, factor?: number): void;
  look(): void;
  choose(n: number): void;
  follow(): void;
  ghosts(): void;
  shapes(): void;
  plots(): void;
  joints(): void;
  theme(): void;
  menu(): void;
  help(): void;
}

const LIST: [string, Word][] = [
  ["Space", "key-play"],
  ["← →", "key-frame"],
  [", .", "key-step"],
  ["↑ ↓", "key-speed"],
  ["Home End", "key-ends"],
  ["0", "key-restart"],
  ["k", "key-go-on"],
  ["l", "key-loop"],
  ["[ ]", "key-events"],
  ["1 2 3 4", "key-views"],
  ["q e", "key-turn"],
  ["PgUp PgDn", "key-tilt"],
  ["+ −", "key-zoom"],
  ["c", "key-look"],
  ["f", "key-follow"],
  ["g", "key-ghosts"],
  ["i", "key-shapes"],
  ["p", "key-plots"],
  ["j", "key-joints"],
  ["t", "key-theme"],
  ["m", "key-menu"],
  ["?", "key-help"],
];

const TURN = Math.PI / 18; // a press
const CLOSER = 0.88;

/** Rows of the list of keys. */
export function keyRows(list: readonly [string, Word][]): HTMLElement[] {
  return list.flatMap(([key, word]) => {
    const [term, meaning] = [document.createElement("dt"), document.createElement("dd")];
    term.textContent = key;
    label(meaning, word);
    return [term, meaning];
  });
}

export function listenToKeys(actions: Actions): void {
  byId("keys").replaceChildren(...keyRows(LIST));
  const does: Record<string, (event: KeyboardEvent) => void> = {
    " ": () => actions.toggle(),
    ArrowLeft: (event) => actions.step(event.shiftKey ? -10 : -1),
    ArrowRight: (event) => actions.step(event.shiftKey ? 10 : 1),
    ",": () => actions.stepOnce(-1),
    ".": () => actions.stepOnce(1),
    "0": () => actions.restart(),
    k: () => actions.goOn(),
    l: () => actions.loop(),
    ArrowUp: () => actions.shiftSpeed(1),
    ArrowDown: () => actions.shiftSpeed(-1),
    Home: () => actions.jump("start"),
    End: () => actions.jump("end"),
    "[": () => actions.event(-1),
    "]": () => actions.event(1),
    q: () => actions.turn(-TURN, 0),
    e: () => actions.turn(TURN, 0),
    PageUp: () => actions.turn(0, TURN),
    PageDown: () => actions.turn(0, -TURN),
    "+": () => actions.turn(0, 0, CLOSER),
    "=": () => actions.turn(0, 0, CLOSER),
    "-": () => actions.turn(0, 0, 1 / CLOSER),
    c: () => actions.look(),
    n: (event) => actions.choose(event.shiftKey ? -1 : 1),
    f: () => actions.follow(),
    g: () => actions.ghosts(),
    i: () => actions.shapes(),
    p: () => actions.plots(),
    j: () => actions.joints(),
    t: () => actions.theme(),
    m: () => actions.menu(),
    "?": () => actions.help(),
  };
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId<HTMLDialogElement>("help").open || itsOwn(event)) return;
    const number = "1234".indexOf(event.key);
    const action = number >= 0 ? () => actions.view(number) : does[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action(event);
  });
  giveFocusBack();
}

/** Whether the focused control has a use of its own for a key. */
export function itsOwn(event: KeyboardEvent): boolean {
  const at = event.target;
  if (!(at instanceof HTMLElement)) return false;
  if (at instanceof HTMLSelectElement) return true;
  if (at.matches("button, input[type=checkbox]") && (event.key === " " || event.key === "Enter")) return true;
  const slides = at.matches("input[type=range]") && at.id !== "timeline";
  const scrolls = at.closest("#joints, #side, #channels, #plot-bar") !== null;
  return (slides || scrolls) && /^(Arrow|Home|End|Page)/.test(event.key);
}

/** After a click with the mouse or a finger the focus goes back to the page, after one by keys it stays. */
function giveFocusBack(): void {
  let pointed = false;
  window.addEventListener("pointerdown", () => (pointed = true), { capture: true });
  window.addEventListener("keydown", () => (pointed = false), { capture: true });
  const back = (event: Event) => {
    const at = event.target;
    if (pointed && at instanceof HTMLElement && at.closest("button, select, input[type=checkbox]")) (document.activeElement as HTMLElement | null)?.blur();
  };
  document.addEventListener("click", (event) => event.target instanceof HTMLSelectElement || back(event));
  document.addEventListener("change", back);
}
