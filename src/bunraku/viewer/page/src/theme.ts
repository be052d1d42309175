// Colours, light and dark. The page's own colours stand in style.css; these are those of the 3D picture and the plots.

export type ThemeName = "light" | "dark";

export interface Theme {
  sky: number; // haze at the horizon
  zenith: number;
  ground: number;
  line: number;
  fixed: number;
  figures: number[];
  sunlight: number;
  skylight: number;
  ghost: number;
  pressure: number;
  ink: string;
  faint: string;
}

export const THEMES: Record<ThemeName, Theme> = {
  light: {
    sky: 0xeef0f2,
    zenith: 0xbfd2e6,
    ground: 0xe6e8eb,
    line: 0xc3c8cf,
    fixed: 0xc4c9cf,
    figures: [0xe8e2d6, 0x8fa6bd, 0xc9a48c, 0x9db09a, 0xb3a2bd],
    sunlight: 1.9,
    skylight: 1.5,
    ghost: 0x5d7188,
    pressure: 0x2b3440,
    ink: "#39424e",
    faint: "#d9dde2",
  },
  dark: {
    sky: 0x1b2028,
    zenith: 0x0c0f15,
    ground: 0x24282e,
    line: 0x3c424b,
    fixed: 0x4a525e,
    figures: [0xd9d2c4, 0x7d97b3, 0xbd937a, 0x88a085, 0xa08dac],
    sunlight: 2.2,
    skylight: 0.9,
    ghost: 0x9fb2c8,
    pressure: 0xf2f4f7,
    ink: "#c6ced8",
    faint: "#2b313a",
  },
};

/** Contact states, the same in both themes and in the legend: none, point, line, surface. */
export const STATE_NAMES = ["none", "point", "line", "surface"];
export const STATE_COLORS = [0x8a929c, 0xe08a1e, 0x9a5fd0, 0x1f9e8a];
export const ZMP_COLOR = 0xd6336c;
export const COM_COLOR = 0x2f6fdb;
export const CONNECTION_COLOR = 0xd0a215;
export const PIN_COLOR = 0xd0a215;
export const DRAG_COLOR = 0xf2610c;
export const VIOLATED_COLOR = 0xd11a2a;

/** Lines of the plots, chosen to be told apart by most eyes (after Okabe and Ito, darkened). */
export const SERIES = ["#2f6fdb", "#d9661f", "#1f9e8a", "#c2387a", "#8a63c9", "#b8860b", "#3d8fb8", "#7a7f87"];

/** The theme of the last visit, else that of the system. */
export function firstTheme(): ThemeName {
  try {
    const kept = localStorage.getItem("bunraku-theme");
    if (kept === "light" || kept === "dark") return kept;
  } catch {
    // storage is closed to pages of the file system in some browsers
  }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function keepTheme(name: ThemeName): void {
  try {
    localStorage.setItem("bunraku-theme", name);
  } catch {
    // as above
  }
}
