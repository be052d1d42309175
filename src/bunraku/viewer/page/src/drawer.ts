// The controls on a narrow screen: a drawer that opens over the picture. Where there is room it is a panel, always open.
import { byId } from "./dom";

export class Drawer {
  private readonly button = byId<HTMLButtonElement>("menu-button");

  constructor() {
    this.button.onclick = () => this.set(!this.open);
    byId("close-button").onclick = () => this.set(false);
    window.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.open && !byId<HTMLDialogElement>("help").open) this.set(false);
    });
    byId("canvas").addEventListener("pointerdown", () => this.open && this.set(false, false));
  }

  get open(): boolean {
    return byId("app").classList.contains("drawer");
  }

  toggle(): void {
    if (this.button.offsetParent !== null) this.button.click();
  }

  /** Open or close it; the focus goes in with it, and back to where it came from. */
  private set(open: boolean, focus = true): void {
    if (open === this.open) return;
    byId("app").classList.toggle("drawer", open);
    this.button.setAttribute("aria-expanded", String(open));
    if (focus) (open ? byId("side") : this.button).focus();
  }
}
