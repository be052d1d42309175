// The page's elements by id, its icons, and files given to the browser.

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element '${id}'`);
  return element as T;
}

export function hex(color: number): string {
  return `#${color.toString(16).padStart(6, "0")}`;
}

const PATHS = {
  play: "M4 2.5v11l9-5.5z",
  pause: "M3.5 2.5h3.2v11H3.5zM9.3 2.5h3.2v11H9.3z",
  back: "M11.5 2.5v11L4.8 8zM3 2.5h1.8v11H3z",
  restart: "M8 2.2a5.8 5.8 0 1 1-5.5 4l1.7.6A4 4 0 1 0 8 4v2.3L4 3.1 8 0z",
  loop: "M11 0l3.4 3L11 6V4H5.2A2.2 2.2 0 0 0 3 6.2V7.5H1V6.2A4.2 4.2 0 0 1 5.2 2H11zM5 16l-3.4-3L5 10v2h5.8A2.2 2.2 0 0 0 13 9.8V8.5h2v1.3A4.2 4.2 0 0 1 10.8 14H5z",
  forward: "M4.5 2.5v11L11.2 8zM11.2 2.5H13v11h-1.8z",
  // drawn as lines
  joints: "M2 4.5h5M11 4.5h3M2 11.5h2M8 11.5h6M9 2.8a1.7 1.7 0 1 1 0 3.4a1.7 1.7 0 1 1 0-3.4M6 9.8a1.7 1.7 0 1 1 0 3.4a1.7 1.7 0 1 1 0-3.4",
  plots: "M2 2v12h12M4.5 10.5l3-4 2.5 2 3.5-5",
  theme: "M8 2a6 6 0 1 0 6 6a4.6 4.6 0 0 1-6-6",
  help: "M5.6 6a2.4 2.4 0 1 1 3.4 2.2c-.8.4-1 .8-1 1.6M8 12.6v.2",
  menu: "M2.5 4h11M2.5 8h11M2.5 12h11",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
};

export function icon(name: keyof typeof PATHS): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** Icons of the buttons that name one. */
export function addIcons(): void {
  for (const button of document.querySelectorAll<HTMLElement>("[data-icon]")) button.prepend(icon(button.dataset.icon as keyof typeof PATHS));
}

/** The text of an element, written only where it changes. */
export function put(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Give the browser a file to keep. */
export function download(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
