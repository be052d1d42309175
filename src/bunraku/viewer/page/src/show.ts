// One scene on the stage: bodies, contacts, balance, connections; shows the frame of a number and knows the layers.
import { Box3, Object3D, Vector3 } from "three";
import { Balance } from "./balance";
import { Bodies } from "./bodies";
import { Connections } from "./connections";
import { Contacts } from "./contacts";
import { byId, hex } from "./dom";
import { discard } from "./marks";
import { Held } from "./held";
import { Pins } from "./pins";
import { COM_COLOR, CONNECTION_COLOR, ZMP_COLOR, type ThemeName } from "./theme";
import { POSE, type ConnectionMessage, type Frame, type SceneMessage } from "./types";
import type { Stage } from "./stage";

export type LayerName = "regions" | "forces" | "pressure" | "zmp" | "support" | "com" | "connections" | "ghosts" | "shapes";

export const LAYERS: { name: LayerName; text: string; color?: string; on: boolean }[] = [
  { name: "forces", text: "Contact forces", on: true },
  { name: "regions", text: "Contact regions", on: true },
  { name: "pressure", text: "Centres of pressure", color: "var(--ink)", on: true },
  { name: "zmp", text: "Zero-moment point", color: hex(ZMP_COLOR), on: true },
  { name: "support", text: "Support polygon", color: hex(ZMP_COLOR), on: true },
  { name: "com", text: "Centre of mass, path", color: hex(COM_COLOR), on: true },
  { name: "connections", text: "Pins, connections", color: hex(CONNECTION_COLOR), on: true },
  { name: "ghosts", text: "Ghosts", on: false },
  { name: "shapes", text: "Physics shapes", on: false },
];

const GHOSTS = 11;

export class Show {
  readonly extent: number;
  readonly bodies: Bodies;
  readonly contacts: Contacts;
  readonly balance: Balance;
  connections: Connections;
  readonly pins: Pins;
  readonly held: Held;
  readonly subject = new Vector3();
  private readonly layers: Record<LayerName, Object3D>;
  private readonly root = new Object3D();
  private haunted = NaN;

  constructor(
    readonly scene: SceneMessage,
    private readonly stage: Stage,
    first: Frame,
  ) {
    this.bodies = new Bodies(scene, stage.ground, () => stage.touch());
    this.bodies.show(first);
    const moving = new Box3();
    this.bodies.group.updateMatrixWorld(true);
    this.bodies.group.children.forEach((mesh, i) => {
      if (scene.shapes[i]!.body >= 0) moving.expandByObject(mesh);
    });
    const size = moving.isEmpty() ? new Vector3(1, 1, 1) : moving.getSize(new Vector3());
    this.extent = Math.min(Math.max(size.x, size.y, size.z, 0.05), 8);
    this.contacts = new Contacts(this.extent);
    this.balance = new Balance(scene, this.extent);
    this.connections = new Connections(scene.connections, this.extent);
    this.pins = new Pins(this.extent, byId("labels"));
    this.held = new Held(this.extent);
    this.layers = {
      regions: this.contacts.regions,
      forces: this.contacts.arrows.group,
      pressure: this.contacts.pressures,
      zmp: this.balance.zmp,
      support: this.balance.support,
      com: this.balance.mass,
      connections: this.connections.group,
      ghosts: this.bodies.ghosts.group,
      shapes: this.bodies.physics,
    };
    this.root.add(this.bodies.group, this.bodies.crowd, this.pins.group, this.held.group, ...Object.values(this.layers));
    stage.scene.add(this.root);
    this.middle(first);
  }

  remove(): void {
    this.pins.remove();
    discard(this.root);
  }

  setTheme(name: ThemeName): void {
    this.bodies.setTheme(name);
    this.contacts.setTheme(name);
    this.stage.touch();
  }

  setLayer(name: LayerName, on: boolean): void {
    this.layers[name].visible = on;
    if (name === "connections") {
      this.pins.setVisible(on);
      this.held.group.visible = on;
    }
    if (name === "shapes") this.bodies.dress();
    this.haunted = NaN;
    this.stage.touch();
  }

  /** Connections made, cut or broken since. */
  setConnections(messages: readonly ConnectionMessage[]): void {
    const { group } = this.connections;
    this.connections = new Connections(messages, this.extent);
    this.connections.group.visible = group.visible;
    discard(group);
    this.layers.connections = this.connections.group;
    this.root.add(this.connections.group);
  }

  isOn(name: LayerName): boolean {
    return this.layers[name].visible;
  }

  frame(frames: readonly Frame[], index: number, live: boolean): void {
    const frame = frames[index]!;
    if (live ? index % 30 === 0 || !this.contacts.reference : !this.contacts.reference) {
      this.contacts.calibrate(live ? frames.slice(-600) : frames);
    }
    this.bodies.show(frame);
    this.contacts.show(frame);
    this.balance.show(frames, index, this.contacts.patches);
    this.connections.show(frame);
    this.haunt(frames, index, live);
    this.middle(frame);
    this.stage.touch();
  }

  /** Ghosts: the whole recording in equal intervals; live, the last four seconds. */
  private haunt(frames: readonly Frame[], index: number, live: boolean): void {
    if (!this.layers.ghosts.visible) return;
    const stamp = Math.floor(frames[index]!.time * 4);
    if (stamp === this.haunted) return;
    this.haunted = stamp;
    const last = live ? index : frames.length - 1;
    const start = live ? Math.max(0, last - 240) : 0;
    const picks = Array.from({ length: GHOSTS }, (_, i) => Math.round(start + ((last - start) * i) / (GHOSTS - 1)));
    this.bodies.ghosts.haunt([...new Set(picks)].map((i) => frames[i]!), frames[index]!);
  }

  /** What the camera follows: the first figure's centre of mass, else the middle of all bodies. */
  private middle(frame: Frame): void {
    const f = frame.figures;
    if (f.length >= 3 && Number.isFinite(f[0]!)) {
      this.subject.set(f[0]!, f[1]!, f[2]!);
      return;
    }
    const n = frame.poses.length / POSE;
    this.subject.set(0, 0, 0);
    for (let b = 0; b < n; b++) {
      const at = b * POSE;
      this.subject.add(new Vector3(frame.poses[at], frame.poses[at + 1], frame.poses[at + 2]));
    }
    if (n) this.subject.divideScalar(n);
  }
}
