// window.bunraku: what the page is doing, to be read (never written) by tests and by the curious in the console.
import { Vector3 } from "three";
import type { Source } from "./source";
import type { Show } from "./show";
import type { Plots } from "./plots";
import type { Stage } from "./stage";
import type { Camera } from "./camera";
import type { Desk } from "./desk";
import type { Hand } from "./hand";
import type { Hover } from "./hover";
import type { KeyHand } from "./key_hand";
import { Live } from "./live";

interface Watched {
  readonly errors: string[];
  readonly source: Source | null;
  readonly show: Show | null;
  readonly plots: Plots | null;
  readonly stage: Stage;
  readonly camera: Camera;
  readonly theme: string;
  readonly hand: Hand;
  readonly desk: Desk;
  readonly hover: Hover;
  readonly keyHand: KeyHand;
  readonly scripting: number;
}

export function exposeState(app: Watched): void {
  const frame = () => app.source?.frames[app.source.index];
  const layer = (name: Parameters<Show["isOn"]>[0], count: number) => (app.show?.isOn(name) ? count : 0);
  const state = {
    get ready() {
      return app.show !== null && app.stage.drawn > 0;
    },
    get time() {
      return app.source?.time ?? 0;
    },
    get duration() {
      return app.source ? app.source.range[1] - app.source.range[0] : 0;
    },
    get frames() {
      return app.source?.frames.length ?? 0;
    },
    get frame() {
      return app.source?.index ?? -1;
    },
    get playing() {
      return app.source?.playing ?? false;
    },
    get speed() {
      return app.source?.speed ?? 1;
    },
    get waiting() {
      return app.source?.waiting ?? false;
    },
    get rate() {
      return app.source?.rate ?? null;
    },
    get loop() {
      return app.source?.loop ?? false;
    },
    get past() {
      return app.source?.past ?? null;
    },
    /** Times of the frames that the page holds. */
    times() {
      return (app.source?.frames ?? []).map(({ time }) => time);
    },
    get connected() {
      return app.source?.connected ?? false;
    },
    get bodies() {
      return app.show?.scene.bodies.length ?? 0;
    },
    get pulls() {
      return layer("forces", app.show?.contacts.pulls ?? 0);
    },
    get arrows() {
      return layer("forces", app.show?.contacts.arrows.count ?? 0);
    },
    get zmp() {
      return layer("zmp", app.show?.balance.zmpCount ?? 0);
    },
    get support() {
      return layer("support", app.show?.balance.supports.filter((hull) => hull.length).length ?? 0);
    },
    get pressures() {
      return layer("pressure", app.show?.contacts.patches.filter((patch) => patch.pressure).length ?? 0);
    },
    get connections() {
      return layer("connections", app.show?.connections.count ?? 0);
    },
    get gripped() {
      return layer("connections", app.show?.held.count ?? 0);
    },
    get pins() {
      return layer("connections", app.show?.connections.pins ?? 0);
    },
    get ghosts() {
      return layer("ghosts", app.show?.bodies.ghosts.count ?? 0);
    },
    get view() {
      return app.camera.view;
    },
    get camera() {
      return app.stage.camera.position.toArray();
    },
    get target() {
      return app.camera.controls.target.toArray();
    },
    get theme() {
      return app.theme;
    },
    get group() {
      return app.plots?.group ?? "";
    },
    get plots() {
      return app.plots?.count ?? 0;
    },
    /** Peaks cut off in the plots. */
    get cut() {
      return app.plots?.cut ?? 0;
    },
    /** The link under the pointer or chosen by keys. */
    get pointed() {
      return app.hover.name;
    },
    get chosen() {
      return app.keyHand.body;
    },
    /** What a display frame costs: ms of script, draw calls, triangles. */
    get cost() {
      const render = app.stage.renderer?.info.render;
      return { script: app.scripting, calls: render?.calls ?? 0, triangles: render?.triangles ?? 0 };
    },
    get drawn() {
      return app.stage.drawn;
    },
    get errors() {
      return [...app.errors];
    },
    /** The stage as the server has it, null where there is none; what the pointer holds; files given to the browser. */
    get stage() {
      return app.source instanceof Live ? structuredClone(app.source.stage) : null;
    },
    get number() {
      return app.source instanceof Live ? app.source.number : 0;
    },
    get notes() {
      return app.source instanceof Live ? [...app.source.notes] : [];
    },
    get held() {
      return app.hand.target?.toArray() ?? null;
    },
    get files() {
      return [...app.desk.files];
    },
    /** Pose of a body in the frame shown: x y z qw qx qy qz. */
    pose(body: number) {
      return Array.from(frame()?.poses.subarray(7 * body, 7 * body + 7) ?? []);
    },
    /** Where a point of the world is on the canvas, in pixels from its upper left corner. */
    project(x: number, y: number, z: number) {
      const seen = new Vector3(x, y, z).project(app.stage.camera);
      const { clientWidth: width, clientHeight: height } = app.stage.canvas;
      return [(0.5 + 0.5 * seen.x) * width, (0.5 - 0.5 * seen.y) * height];
    },
    channel(number: number) {
      return frame()?.channels[number] ?? NaN;
    },
    contacts() {
      return Array.from(frame()?.contacts ?? []);
    },
    /** Corners of the support polygon of each figure that has marks. */
    supports() {
      return app.show?.balance.supports ?? [];
    },
    /** Skins that are there: figure and triangles; whether they are shown instead of physics shapes. */
    get skins() {
      return (app.show?.bodies.skins ?? []).map((skin) => ({ triangles: skin.triangles, shadow: skin.shadow, shown: skin.ready && skin.group.visible }));
    },
    /** Where a vertex of a skin is. */
    skinVertex(skin: number, vertex: number) {
      return app.show?.bodies.skins[skin]?.vertex(vertex) ?? [];
    },
    patches() {
      return (app.show?.contacts.patches ?? []).map(({ state, total, pressure }) => ({ state, total, pressure }));
    },
  };
  Object.defineProperty(window, "bunraku", { value: Object.freeze(state) });
}
