// Pins and drags of a stage: a diamond where a link is pinned (in a cage where its orientation is, too), a ball where it is dragged to, a line from
// the link to where it should be, and how far off it is. The target of one's own drag is drawn where the pointer is, without asking the server.
import { Group, Matrix4, Mesh, MeshBasicMaterial, OctahedronGeometry, Vector3 } from "three";
import { Segments } from "./lines";
import { ball, diamond, discard, seenThrough } from "./marks";
import { poseOf } from "./shapes";
import { DRAG_COLOR, PIN_COLOR, VIOLATED_COLOR } from "./theme";
import type { Frame, StageItem } from "./types";
import type { Stage } from "./stage";

const OFF = 0.01; // m: from here on a pin counts as violated and says so
const TURNED = 0.1; // rad

export const isViolated = (item: StageItem) => item.metres > OFF || item.radians > TURNED;

/** How far off, for a person. */
export function howFar(item: StageItem): string {
  const parts = [item.metres < 0.1 ? `${(1000 * item.metres).toFixed(0)} mm` : `${(100 * item.metres).toFixed(0)} cm`];
  if (item.pose) parts.push(`${((180 / Math.PI) * item.radians).toFixed(0)}°`);
  return parts.join(", ");
}

interface Mark {
  group: Group;
  head: Mesh;
  cage: Mesh | null;
  grip: Mesh;
  line: Segments;
  label: HTMLElement;
}

export class Pins {
  readonly group = new Group();
  readonly targets = new Map<string, Vector3>(); // by name, where they are drawn
  private readonly marks = new Map<string, Mark>();
  private readonly pose = new Matrix4();

  constructor(
    private readonly extent: number,
    private readonly labels: HTMLElement,
  ) {}

  remove(): void {
    for (const name of [...this.marks.keys()]) this.drop(name);
    discard(this.group);
  }

  setVisible(on: boolean): void {
    this.group.visible = on;
    this.labels.hidden = !on;
  }

  /** `mine` is where one's own drag is held now, before the server knows. */
  show(items: readonly StageItem[], frame: Frame, stage: Stage, mine: { name: string | null; target: Vector3 } | null): void {
    for (const name of [...this.marks.keys()]) if (!items.some((item) => item.name === name)) this.drop(name);
    for (const item of items) {
      let mark = this.marks.get(item.name);
      if (!mark) this.marks.set(item.name, (mark = this.make(item)));
      const target = mine?.name === item.name ? mine.target : new Vector3(...item.target);
      const grip = new Vector3(...item.point).applyMatrix4(poseOf(frame.poses, item.body, this.pose));
      const color = item.kind === "drag" ? DRAG_COLOR : isViolated(item) ? VIOLATED_COLOR : PIN_COLOR;
      for (const mesh of [mark.head, mark.cage, mark.grip]) (mesh?.material as MeshBasicMaterial | undefined)?.color.setHex(color);
      mark.head.position.copy(target);
      mark.cage?.position.copy(target);
      mark.grip.position.copy(grip);
      mark.line.clear();
      mark.line.add(grip.toArray(), target.toArray(), color);
      mark.line.finish();
      this.targets.set(item.name, target);
      this.say(mark, target, isViolated(item) ? howFar(item) : "", stage);
    }
  }

  /** A word beside the mark. */
  private say(mark: Mark, at: Vector3, text: string, stage: Stage): void {
    const seen = at.clone().project(stage.camera);
    const hidden = !text || Math.abs(seen.z) > 1;
    if (mark.label.hidden !== hidden) mark.label.hidden = hidden;
    if (hidden) return;
    if (mark.label.textContent !== text) mark.label.textContent = text;
    const { clientWidth: width, clientHeight: height } = stage.canvas;
    mark.label.style.transform = `translate(${((0.5 + 0.5 * seen.x) * width + 14).toFixed(1)}px, ${((0.5 - 0.5 * seen.y) * height - 10).toFixed(1)}px)`;
  }

  private make(item: StageItem): Mark {
    const head = item.kind === "drag" ? ball(DRAG_COLOR, 0.015 * this.extent) : diamond(PIN_COLOR, 0.016 * this.extent);
    const grip = ball(PIN_COLOR, 0.006 * this.extent);
    let cage: Mesh | null = null;
    if (item.pose) {
      const wire = seenThrough(new MeshBasicMaterial({ wireframe: true }));
      cage = new Mesh(new OctahedronGeometry(0.03 * this.extent), wire);
      cage.renderOrder = 7;
    }
    const line = new Segments(2.6, 1);
    seenThrough(line.line.material);
    line.line.renderOrder = 6;
    const group = new Group().add(head, grip, line.line, ...(cage ? [cage] : []));
    this.group.add(group);
    const label = document.createElement("span");
    label.hidden = true;
    label.dataset.kind = item.kind;
    this.labels.append(label);
    return { group, head, cage, grip, line, label };
  }

  private drop(name: string): void {
    const mark = this.marks.get(name)!;
    discard(mark.group);
    mark.label.remove();
    this.marks.delete(name);
    this.targets.delete(name);
  }
}
