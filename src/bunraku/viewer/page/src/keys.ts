// The keyboard. Keys typed into a field of the page keep their meaning there.
import { byId } from "./dom";

export interface Actions {
  toggle(): void;
  step(n: number): void;
  shiftSpeed(notches: number): void;
  jump(end: "start" | "end"): void;
  view(number: number): void;
  follow(): void;
  ghosts(): void;
  plots(): void;
  theme(): void;
  help(): void;
}

const LIST: [string, string][] = [
  ["Space", "play or pause"],
  ["← →", "one frame back or on (with Shift: ten)"],
  ["↑ ↓", "faster, slower"],
  ["Home End", "to the start, to the end"],
  ["1 2 3 4", "front, side, top, iso"],
  ["f", "follow the figure"],
  ["g", "ghosts"],
  ["p", "plots"],
  ["t", "light or dark"],
  ["?", "this list"],
];

export function listenToKeys(actions: Actions): void {
  byId("keys").replaceChildren(
    ...LIST.flatMap(([key, text]) => {
      const [term, meaning] = [document.createElement("dt"), document.createElement("dd")];
      [term.textContent, meaning.textContent] = [key, text];
      return [term, meaning];
    }),
  );
  const does: Record<string, (event: KeyboardEvent) => void> = {
    " ": () => actions.toggle(),
    ArrowLeft: (event) => actions.step(event.shiftKey ? -10 : -1),
    ArrowRight: (event) => actions.step(event.shiftKey ? 10 : 1),
    ArrowUp: () => actions.shiftSpeed(1),
    ArrowDown: () => actions.shiftSpeed(-1),
    Home: () => actions.jump("start"),
    End: () => actions.jump("end"),
    f: () => actions.follow(),
    g: () => actions.ghosts(),
    p: () => actions.plots(),
    t: () => actions.theme(),
    "?": () => actions.help(),
  };
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId<HTMLDialogElement>("help").open) return;
    if (event.target instanceof HTMLSelectElement) return;
    const number = "1234".indexOf(event.key);
    const action = number >= 0 ? () => actions.view(number) : does[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    // a focused button or box must not be pressed by the space bar as well
    if (event.target instanceof HTMLElement && event.target !== document.body) event.target.blur();
    action(event);
  });
}
