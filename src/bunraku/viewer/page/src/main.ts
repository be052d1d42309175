// The viewer's page: data of its own (an exported file) or a live server, one loop that shows the present frame.
import { Camera, VIEWS, type ViewName } from "./camera";
import { Desk } from "./desk";
import { byId } from "./dom";
import { decodeEmbedded } from "./frames";
import { Hand } from "./hand";
import { listenToKeys } from "./keys";
import { Live } from "./live";
import { Panel } from "./panel";
import { Plots } from "./plots";
import { LAYERS, Show } from "./show";
import { Embedded, type Source } from "./source";
import { Stage } from "./stage";
import { exposeState } from "./state";
import { firstTheme, keepTheme, type ThemeName } from "./theme";
import { Timeline } from "./timeline";
import { parseScene, sameCast, type ConnectionMessage, type Frame, type SceneMessage } from "./types";
import "./style.css";

const VIEW_NAMES = Object.keys(VIEWS) as ViewName[];

class App {
  readonly errors: string[] = [];
  source: Source | null = null;
  show: Show | null = null;
  plots: Plots | null = null;
  theme: ThemeName = firstTheme();
  readonly stage = new Stage(byId("view"), byId<HTMLCanvasElement>("canvas"));
  readonly camera = new Camera(this.stage, () => this.panel.setView("free"));
  readonly hand = new Hand(this.stage, this.camera, () => this.show, () => this.live);
  readonly desk = new Desk(this.hand, () => this.live);
  readonly timeline = new Timeline(() => this.source);
  readonly panel = new Panel(
    (name, on) => this.show?.setLayer(name, on),
    (name) => this.look(name),
    (on) => (this.camera.follow = on),
  );
  private scene: SceneMessage | null = null;
  private shownFrame: unknown = null;
  private layersStamp = "";
  private before = performance.now();

  constructor() {
    window.addEventListener("error", (event) => this.fail(event.message));
    window.addEventListener("unhandledrejection", (event) => this.fail(String(event.reason)));
    byId("theme-button").onclick = () => this.setTheme(this.theme === "light" ? "dark" : "light");
    byId("help-button").onclick = () => byId<HTMLDialogElement>("help").showModal();
    byId("plots-button").onclick = () => this.togglePlots();
    listenToKeys({
      toggle: () => this.timeline.toggle(),
      step: (n) => this.source?.step(n),
      shiftSpeed: (n) => this.timeline.shift(n),
      jump: (end) => this.source?.seek(this.source.range[end === "start" ? 0 : 1]),
      view: (i) => this.look(VIEW_NAMES[i]!),
      follow: () => byId("follow").click(),
      ghosts: () => this.panel.flip("ghosts"),
      plots: () => this.togglePlots(),
      theme: () => byId("theme-button").click(),
      help: () => byId("help-button").click(),
    });
    this.panel.setView("iso");
    this.setTheme(this.theme);
    exposeState(this);
    requestAnimationFrame((now) => this.loop(now));
  }

  async start(): Promise<void> {
    const scene = document.getElementById("bunraku-scene");
    const frames = document.getElementById("bunraku-frames");
    if (scene && frames) {
      const message = parseScene(scene.textContent ?? "");
      this.setScene(message);
      this.source = new Embedded(message, await decodeEmbedded(frames.textContent ?? ""));
      return;
    }
    const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
    this.source = new Live(token, {
      scene: (message) => this.setScene(message),
      connections: (messages) => this.setConnections(messages),
      stage: (message) => {
        this.desk.begin();
        this.hand.heard(message, this.live!.number);
        this.desk.show(message, this.live!.number);
        this.stage.touch();
      },
      file: (name, content) => this.desk.keep(name, content),
      error: (text) => this.note(text),
    });
  }

  private get live(): Live | null {
    return this.source instanceof Live ? this.source : null;
  }

  /** Another scene; after a new connection to the same one, view and plots stay as they are. */
  setScene(scene: SceneMessage): void {
    const same = this.scene !== null && sameCast(this.scene, scene);
    this.scene = scene;
    if (same) {
      this.setConnections(scene.connections);
      return;
    }
    this.show?.remove();
    this.show = this.shownFrame = null;
    document.title = scene.title ? `${scene.title} – Bunraku` : "Bunraku";
    byId("title").textContent = scene.title;
    this.timeline.setEvents(scene.events ?? []);
    const places = { groups: byId("groups"), chart: byId("chart"), channels: byId("channels") };
    places.chart.replaceChildren();
    this.plots = new Plots(scene, places, (time) => this.source?.seek(time));
    this.plots.setTheme(this.theme);
  }

  /** Connections made, cut or broken while the world runs. */
  setConnections(connections: ConnectionMessage[]): void {
    if (this.scene) this.scene.connections = connections;
    this.show?.setConnections(connections);
    this.shownFrame = null;
  }

  setTheme(name: ThemeName): void {
    this.theme = name;
    document.documentElement.dataset.theme = name;
    keepTheme(name);
    byId("theme-button").textContent = name === "light" ? "Dark" : "Light";
    this.stage.setTheme(name);
    this.show?.setTheme(name);
    this.plots?.setTheme(name);
  }

  note(text: string): void {
    if (this.errors.length < 50) this.errors.push(text);
  }

  /** Something that ends the show: say it. */
  fail(text: string): void {
    this.note(text);
    this.banner(text.replace(/^(Uncaught )?Error: /, ""), false);
  }

  private look(name: ViewName): void {
    this.camera.look(name);
    this.panel.setView(name);
  }

  private togglePlots(): void {
    const hidden = byId("app").classList.toggle("no-plots");
    byId("plots-button").setAttribute("aria-pressed", String(!hidden));
  }

  private banner(text: string | null, waiting: boolean): void {
    const banner = byId("banner");
    banner.hidden = !text;
    banner.classList.toggle("waiting", waiting);
    if (banner.textContent !== (text ?? "")) banner.textContent = text ?? "";
  }

  private loop(now: number): void {
    requestAnimationFrame((next) => this.loop(next));
    const passed = Math.min((now - this.before) / 1000, 0.25);
    this.before = now;
    const source = this.source;
    if (!source) return;
    source.advance(passed);
    if (!this.errors.length || source.remote) this.banner(source.message, source.noted || (!source.connected && !this.show));
    const mode = byId("mode");
    mode.textContent = !source.connected ? "Disconnected" : source.live ? "Live" : "Recording";
    mode.className = `badge ${source.remote ? (source.connected ? "on" : "off") : ""}`;
    this.timeline.show(source);
    this.hand.tick();
    this.present(source);
    this.stage.draw();
  }

  private present(source: Source): void {
    const frame = source.frames[source.index];
    if (!frame || !this.scene) return;
    if (!this.show) {
      this.show = new Show(this.scene, this.stage, frame);
      this.show.setTheme(this.theme);
      for (const { name } of LAYERS) this.show.setLayer(name, this.panel.isOn(name));
      this.camera.frame(this.show.subject, this.show.extent, this.camera.view === "free" ? "iso" : this.camera.view);
    }
    const stamp = LAYERS.map(({ name }) => this.show!.isOn(name)).join();
    if (frame !== this.shownFrame || stamp !== this.layersStamp) {
      this.shownFrame = frame;
      this.layersStamp = stamp;
      this.show.frame(source.frames, source.index, source.live);
      this.camera.track(this.show.subject);
      this.panel.show(this.show);
    }
    this.presentStage(frame);
    this.plots?.show(source.frames, source.index, source.range);
  }

  /** Pins and drags; one's own drag where the pointer is. They belong to the present, not to the past that one looks back at. */
  private presentStage(frame: Frame): void {
    const live = this.live;
    if (!live || !this.show) return;
    const items = live.stage && live.index === live.frames.length - 1 ? live.stage.items : [];
    const own = live.stage?.holder === live.number ? items.find((item) => item.kind === "drag") : undefined;
    const mine = this.hand.target ? { name: own?.name ?? null, target: this.hand.target } : null;
    this.show.pins.show(items, frame, this.stage, mine);
  }
}

const app = new App();
app.start().catch((error: unknown) => app.fail(String(error)));
