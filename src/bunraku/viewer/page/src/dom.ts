// The page's elements by id, and the icons of the transport.

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
  forward: "M4.5 2.5v11L11.2 8zM11.2 2.5H13v11h-1.8z",
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
