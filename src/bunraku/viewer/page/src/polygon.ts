// Plane geometry of the support: convex hull (Andrew's monotone chain) and centre of pressure of a patch.
import { CONTACT, type Frame, type Vec3 } from "./types";

/** Convex hull of points seen from above, counter-clockwise; fewer than three corners where they lie on a line. */
export function hullFromAbove(points: readonly Vec3[]): Vec3[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turns = (o: Vec3, a: Vec3, b: Vec3) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (run: readonly Vec3[]) => {
    const chain: Vec3[] = [];
    for (const p of run) {
      while (chain.length > 1 && turns(chain[chain.length - 2]!, chain[chain.length - 1]!, p) <= 1e-12) chain.pop();
      chain.push(p);
    }
    chain.pop();
    return chain;
  };
  if (sorted.length < 3) return sorted;
  return [...half(sorted), ...half(sorted.reverse())];
}

export interface Patch {
  points: Vec3[];
  forces: Vec3[];
  state: number;
  total: Vec3; // N
  pressure: Vec3 | null; // centre of pressure, m; null without pressing force
  normal: Vec3;
  bodies: [number, number]; // of both sides, -1 the world; forces act on the first
}

const PULL = 4; // instead of a patch's state: a connection

export interface Pull {
  point: Vec3;
  force: Vec3; // N, on the first body
}

/** What connections of a running world pull with. */
export function pullsOf(frame: Frame): Pull[] {
  const [found, c]: [Pull[], Float32Array] = [[], frame.contacts];
  for (let at = 0; at < c.length; at += CONTACT) {
    if (c[at + 7] === PULL) found.push({ point: [c[at]!, c[at + 1]!, c[at + 2]!], force: [c[at + 3]!, c[at + 4]!, c[at + 5]!] });
  }
  return found;
}

/** The contact patches of a frame: points of one patch number together. */
export function patchesOf(frame: Frame): Patch[] {
  const found = new Map<number, Patch>();
  const c = frame.contacts;
  for (let at = 0; at < c.length; at += CONTACT) {
    if (c[at + 7] === PULL) continue;
    const key = c[at + 6]!;
    let patch = found.get(key);
    if (!patch) {
      patch = { points: [], forces: [], state: 0, total: [0, 0, 0], pressure: null, normal: [0, 0, 1], bodies: [c[at + 8]!, c[at + 9]!] };
      found.set(key, patch);
    }
    patch.points.push([c[at]!, c[at + 1]!, c[at + 2]!]);
    patch.forces.push([c[at + 3]!, c[at + 4]!, c[at + 5]!]);
    patch.state = Math.max(patch.state, c[at + 7]!);
    for (let k = 0; k < 3; k++) patch.total[k]! += c[at + 3 + k]!;
  }
  for (const patch of found.values()) {
    patch.normal = normalOf(patch);
    patch.pressure = pressureOf(patch);
  }
  return [...found.values()];
}

/** Normal of the patch: Newell's sum over its corners, on the side of the force; straight up where they span no plane. */
function normalOf({ points, total }: Patch): Vec3 {
  const n: Vec3 = [0, 0, 0];
  points.forEach((p, i) => {
    const q = points[(i + 1) % points.length]!;
    n[0] += (p[1] - q[1]) * (p[2] + q[2]);
    n[1] += (p[2] - q[2]) * (p[0] + q[0]);
    n[2] += (p[0] - q[0]) * (p[1] + q[1]);
  });
  const size = Math.hypot(...n);
  if (size < 1e-8) return [0, 0, 1];
  const sign = n[0] * total[0] + n[1] * total[1] + n[2] * total[2] < 0 ? -1 : 1;
  return [(sign * n[0]) / size, (sign * n[1]) / size, (sign * n[2]) / size];
}

/** Centre of pressure: sum of p (f . n) over sum of f . n. */
function pressureOf({ points, forces, normal }: Patch): Vec3 | null {
  let press = 0;
  const sum: Vec3 = [0, 0, 0];
  points.forEach((p, i) => {
    const f = forces[i]!;
    const weight = Math.max(f[0] * normal[0] + f[1] * normal[1] + f[2] * normal[2], 0);
    press += weight;
    for (let k = 0; k < 3; k++) sum[k]! += weight * p[k]!;
  });
  return press > 1e-6 ? [sum[0] / press, sum[1] / press, sum[2] / press] : null;
}
