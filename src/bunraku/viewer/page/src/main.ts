// The viewer's page: data of its own (an exported file) or a live server, one loop that shows the present frame.
import { Again } from "./again";
import { Camera, VIEWS, type ViewName } from "./camera";
import { Desk } from "./desk";
import { addIcons, byId, put } from "./dom";
import { Drawer } from "./drawer";
import { Events } from "./events";
import { decodeEmbedded } from "./frames";
import { Gone } from "./gone";
import { Hand } from "./hand";
import { Hover } from "./hover";
import { JointValues } from "./joint_values";
import { KeyHand } from "./key_hand";
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
import { currentLanguage, keepLanguage, say, sayAgain, speak, type Language } from "./words";
import "./style.css";

const NOTE = 6000; // ms that a word of the page is shown
const VIEW_NAMES = Object.keys(VIEWS) as ViewName[];

class App {
  readonly errors: string[] = [];
  source: Source | null = null;
  show: Show | null = null;
  plots: Plots | null = null;
  theme: ThemeName = firstTheme();
  readonly stage = new Stage(byId<HTMLCanvasElement>("canvas"));
  readonly camera = new Camera(this.stage, () => this.panel.setView("free"));
  readonly hand = new Hand(this.stage, this.camera, () => this.show, () => this.live, () => this.tell(say("looking-back")));
  readonly keyHand = new KeyHand(this.stage, this.hand, () => this.show, () => this.live);
  readonly hover = new Hover(this.stage, this.camera, this.hand, this.keyHand, () => this.show);
  readonly desk = new Desk(this.hand, () => this.live);
  readonly timeline = new Timeline(() => this.source);
  readonly again = new Again(() => this.source);
  readonly events = new Events(() => this.source);
  private readonly drawer = new Drawer();
  private readonly gone = new Gone();
  private readonly jointValues = new JointValues();
  readonly panel = new Panel(
    (name, on) => this.show?.setLayer(name, on),
    (name) => this.look(name),
    (on) => this.camera.setFollow(on),
  );
  private scene: SceneMessage | null = null;
  private shownFrame: unknown = null;
  private layersStamp = "";
  private before = performance.now();
  private told: { text: string; until: number } | null = null;
  scripting = 0; // ms of script a display frame, a running mean

  constructor() {
    window.addEventListener("error", (event) => this.fail(event.message));
    window.addEventListener("unhandledrejection", (event) => this.fail(String(event.reason)));
    byId("theme-button").onclick = () => this.setTheme(this.theme === "light" ? "dark" : "light");
    byId("help-button").onclick = () => byId<HTMLDialogElement>("help").showModal();
    byId("plots-button").onclick = () => this.togglePlots();
    const language = byId<HTMLSelectElement>("language");
    language.value = currentLanguage();
    language.onchange = () => this.setLanguage(language.value as Language);
    addIcons();
    listenToKeys({
      toggle: () => this.timeline.toggle(),
      step: (n) => this.source?.step(n),
      stepOnce: (n) => this.source?.fine(n),
      restart: () => this.source?.restart(),
      goOn: () => this.source?.goOn(),
      loop: () => byId("loop").click(),
      shiftSpeed: (n) => this.timeline.shift(n),
      jump: (end) => this.source?.seek(this.source.range[end === "start" ? 0 : 1]),
      event: (n) => this.events.go(n),
      view: (i) => this.look(VIEW_NAMES[i]!),
      turn: (around, up, factor) => this.camera.turn(around, up, factor),
      look: () => this.hover.look(),
      choose: (n) => this.keyHand.choose(n),
      follow: () => byId("follow").click(),
      ghosts: () => this.hand.grip(this.hover.taken()) || this.panel.flip("ghosts"),
      shapes: () => this.panel.flip("shapes"),
      plots: () => this.togglePlots(),
      joints: () => byId("joints-button").hidden || byId("joints-button").click(),
      theme: () => byId("theme-button").click(),
      menu: () => this.drawer.toggle(),
      help: () => byId("help-button").click(),
    });
    this.panel.setView("iso");
    this.setTheme(this.theme);
    speak(currentLanguage());
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
        if (this.scene?.stage) this.desk.begin(this.scene);
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
    this.events.set(scene.events ?? []);
    if (!scene.stage) this.jointValues.begin(scene);
    const places = { groups: byId("groups"), chart: byId("chart"), channels: byId("channels") };
    this.plots?.remove();
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
    const word = byId("theme-button").querySelector<HTMLElement>("[data-word]")!;
    word.dataset.word = name === "light" ? "dark" : "light";
    put(word, say(name === "light" ? "dark" : "light"));
    this.stage.setTheme(name);
    this.show?.setTheme(name);
    this.plots?.setTheme(name);
  }

  setLanguage(language: Language): void {
    speak(language);
    keepLanguage(language);
    this.shownFrame = null;
  }

  /** A word of the page itself, for a while. */
  tell(text: string): void {
    this.told = { text, until: performance.now() + NOTE };
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
    put(banner, text ?? "");
  }

  private loop(now: number): void {
    requestAnimationFrame((next) => this.loop(next));
    const began = performance.now();
    const passed = Math.min((now - this.before) / 1000, 0.25);
    this.before = now;
    const source = this.source;
    if (!source) return;
    source.advance(passed);
    this.announce(source, now);
    this.timeline.show(source);
    this.again.show(source);
    this.events.show(source);
    this.gone.show(source);
    this.hand.tick();
    this.present(source);
    this.camera.tick(passed);
    this.hover.tick();
    this.scripting += 0.05 * (performance.now() - began - this.scripting); // what follows is the graphics card's
    this.stage.draw();
    if (this.show && this.stage.drawn > 0) source.ready();
  }

  /** The badge and the banner. */
  private announce(source: Source, now: number): void {
    const mode = byId("mode");
    put(mode, say(!source.connected ? "mode-off" : source.live ? "mode-live" : "mode-recording"));
    const kind = `badge ${source.remote ? (source.connected ? "on" : "off") : ""}`;
    if (mode.className !== kind) mode.className = kind;
    if (this.told && now > this.told.until) this.told = null;
    const own = this.told?.text ?? (this.stage.lost ? say("webgl-lost") : null);
    if (own) this.banner(own, true);
    else if (!this.errors.length || source.remote) this.banner(sayAgain(source.message) ?? (source.waiting ? say("waiting") : null), source.noted || source.waiting || (!source.connected && !this.show));
  }

  private present(source: Source): void {
    const frame = source.frames[source.index];
    if (!frame || !this.scene) return;
    if (!this.show) {
      this.show = new Show(this.scene, this.stage, frame);
      this.show.setTheme(this.theme);
      for (const { name } of LAYERS) this.show.setLayer(name, this.panel.isOn(name));
      this.camera.frame(this.show.subject, this.show.extent, this.camera.view === "free" ? "iso" : this.camera.view, this.scene.title);
      this.panel.setView(this.camera.view);
      if (!this.stage.renderer) this.tell(say("no-webgl"));
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
    this.jointValues.show(frame);
    if (this.scene.stage) this.desk.joints.torques(frame);
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
    this.show.held.show(items === live.stage?.items ? (live.stage.grips ?? []) : [], this.show.contacts);
  }
}

const app = new App();
app.start().catch((error: unknown) => app.fail(String(error)));
