// What happened, as marks over the time line and as a list among the controls; [ and ] go from one to the next. Tab stops
// once at the marks, whatever their number; arrows, Home and End go along them, Enter goes to the time of one.
import { byId } from "./dom";
import type { Source } from "./source";
import type { EventMessage } from "./types";

const THUMB = 16; // px: the knob of the time line is inside of it at both ends
const MOST_LISTED = 200;
const SAME = 1e-4; // s

export class Events {
  private events: readonly EventMessage[] = [];
  private marks: HTMLButtonElement[] = [];
  private rows: HTMLButtonElement[] = [];
  private spanned = ""; // the range for which the marks were placed
  private current = -1;

  constructor(private readonly source: () => Source | null) {
    byId("events").addEventListener("keydown", (event) => this.along(event));
  }

  set(events: readonly EventMessage[]): void {
    this.events = [...events].sort((a, b) => a.time - b.time);
    this.marks = this.events.map((event) => {
      const mark = this.button(event);
      mark.title = `${event.time.toFixed(3)} s: ${event.text}`;
      mark.setAttribute("aria-label", mark.title);
      mark.tabIndex = -1;
      mark.onfocus = () => this.stop(mark);
      return mark;
    });
    if (this.marks[0]) this.marks[0].tabIndex = 0;
    byId("events").replaceChildren(...this.marks);
    this.rows = this.events.slice(0, MOST_LISTED).map((event) => {
      const row = this.button(event);
      const [when, what] = [document.createElement("span"), document.createElement("span")];
      when.className = "when";
      when.textContent = `${event.time.toFixed(2)} s`;
      what.textContent = event.text;
      row.append(when, what);
      return row;
    });
    byId("event-list").replaceChildren(
      ...this.rows.map((row) => {
        const item = document.createElement("li");
        item.append(row);
        return item;
      }),
    );
    byId("happened").hidden = !this.events.length;
    [this.spanned, this.current] = ["", -1];
  }

  /** To the next event, or the one before. */
  go(step: number): void {
    const source = this.source();
    if (!source) return;
    const later = this.events.filter(({ time }) => (step > 0 ? time > source.time + SAME : time < source.time - SAME));
    const next = step > 0 ? later[0] : later[later.length - 1];
    if (next) source.seek(next.time);
  }

  show(source: Source): void {
    const [start, end] = source.range;
    if (this.spanned !== `${start} ${end}`) this.place(start, end);
    let now = -1;
    while (now + 1 < this.events.length && this.events[now + 1]!.time <= source.time + SAME) now += 1;
    if (now === this.current) return;
    this.rows[this.current]?.removeAttribute("aria-current");
    this.rows[now]?.setAttribute("aria-current", "true");
    this.current = now;
  }

  private place(start: number, end: number): void {
    this.spanned = `${start} ${end}`;
    for (const mark of this.marks) {
      const part = end > start ? (Number(mark.dataset.time) - start) / (end - start) : 0;
      mark.hidden = part < 0 || part > 1;
      mark.style.left = `calc(${THUMB / 2}px + (100% - ${THUMB}px) * ${part})`;
    }
    const seen = this.marks.filter((mark) => !mark.hidden);
    if (seen[0] && !seen.some((mark) => mark.tabIndex === 0)) this.stop(seen[0]);
  }

  /** Arrows, Home and End among the marks. */
  private along(event: KeyboardEvent): void {
    const seen = this.marks.filter((mark) => !mark.hidden);
    const at = seen.indexOf(document.activeElement as HTMLButtonElement);
    const ends: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: seen.length - 1 };
    const to = ends[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation(); // here they are no steps of the picture
    seen[Math.min(Math.max(to, 0), seen.length - 1)]?.focus();
  }

  /** Tab comes to this mark from now on. */
  private stop(mark: HTMLButtonElement): void {
    for (const other of this.marks) other.tabIndex = other === mark ? 0 : -1;
  }

  private button({ time, kind }: EventMessage): HTMLButtonElement {
    const button = document.createElement("button");
    button.dataset.kind = kind;
    button.dataset.time = String(time);
    button.onclick = () => this.source()?.seek(time);
    return button;
  }
}
