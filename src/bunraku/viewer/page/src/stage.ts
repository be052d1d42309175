// The 3D picture: renderer, sky, lights and soft shadows. Renders only when something changed (`touch`). World z is up.
// Without WebGL it is a plain drawing (flat.ts).
import {
  DirectionalLight,
  HemisphereLight,
  PCFShadowMap,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from "three";
import { FlatPicture } from "./flat";
import { makeGround, type Ground } from "./ground";
import { makeSky } from "./sky";
import { THEMES, type ThemeName } from "./theme";

const SUN = new Vector3(0.45, -0.62, 1.1).normalize();

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(32, 1, 0.02, 500);
  readonly renderer: WebGLRenderer | null; // null: the browser gives no WebGL
  readonly ground: Ground = makeGround();
  drawn = 0;
  lost = false; // the graphics card took the picture away, for a while
  private readonly sun = new DirectionalLight(0xfff4e6);
  private readonly sky = new HemisphereLight(0xffffff, 0xc9c4bc);
  private readonly rim = new DirectionalLight(0xdfe9ff); // from behind: edges stand out against the ground
  private readonly dome = makeSky();
  private readonly flat: FlatPicture | null;
  private theme: ThemeName = "light";
  private dirty = true;

  constructor(
    readonly canvas: HTMLCanvasElement,
  ) {
    this.renderer = rendererOf(canvas);
    this.flat = this.renderer ? null : new FlatPicture(canvas);
    if (this.renderer) {
      this.renderer.shadowMap.enabled = true;
      this.renderer.shadowMap.type = PCFShadowMap;
      this.renderer.info.autoReset = false;
    }
    canvas.addEventListener("webglcontextlost", () => (this.lost = true));
    canvas.addEventListener("webglcontextrestored", () => {
      this.lost = false;
      this.touch();
    });
    this.camera.up.set(0, 0, 1);
    this.sky.position.set(0, 0, 1);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 2.6;
    this.sun.shadow.bias = -0.0002;
    this.sun.shadow.normalBias = 0.012;
    this.rim.position.set(-0.8, 0.7, 0.5);
    this.scene.add(this.sun, this.sun.target, this.sky, this.rim, this.dome.mesh);
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
  }

  setTheme(name: ThemeName): void {
    const theme = THEMES[name];
    this.theme = name;
    this.dome.setTheme(theme);
    this.rim.intensity = name === "light" ? 0.35 : 0.55;
    this.sun.intensity = theme.sunlight;
    this.sky.intensity = theme.skylight;
    this.sky.groundColor.setHex(name === "light" ? 0xc9c4bc : 0x3a3f48);
    this.ground.setTheme(theme);
    this.touch();
  }

  /** Light, shadows and the grid's fading follow the point looked at; `size` is the extent of the scene in m. */
  centre(at: Vector3, size: number): void {
    const half = Math.max(1.2 * size, 1);
    const frustum = this.sun.shadow.camera;
    if (Math.abs(frustum.right - half) > 0.05 * half) {
      [frustum.left, frustum.right, frustum.bottom, frustum.top] = [-half, half, -half, half];
      [frustum.near, frustum.far] = [0.1, 8 * half];
      frustum.updateProjectionMatrix();
    }
    // in whole texels, so that the edges of shadows do not crawl while the camera follows
    const texel = (2 * half) / this.sun.shadow.mapSize.x;
    const snapped = at.clone().divideScalar(16 * texel).round().multiplyScalar(16 * texel);
    this.sun.target.position.copy(snapped);
    this.sun.position.copy(snapped).addScaledVector(SUN, 4 * half);
    this.ground.centre.copy(at);
    this.ground.reach.value = Math.max(7 * size, 10, 2.5 * this.camera.position.distanceTo(at));
  }

  touch(): void {
    this.dirty = true;
  }

  draw(): void {
    if (!this.dirty) return;
    this.dirty = false;
    this.drawn += 1;
    if (!this.renderer) {
      this.flat!.draw(this.scene, this.camera, THEMES[this.theme]);
      return;
    }
    this.renderer.info.reset();
    this.renderer.render(this.scene, this.camera);
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    if (this.renderer) {
      this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
      this.renderer.setSize(width, height, false);
    } else [this.canvas.width, this.canvas.height] = [width, height];
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.touch();
    if (this.drawn) this.draw(); // another size empties the picture: no blank one until the next display frame
  }
}

/** WebGL's renderer, or null where the browser gives none. */
function rendererOf(canvas: HTMLCanvasElement): WebGLRenderer | null {
  // asked before three.js does, which would write its disappointment to the console
  const context = canvas.getContext("webgl2", { antialias: true, alpha: true, depth: true, stencil: false, powerPreference: "default" });
  return context ? new WebGLRenderer({ canvas, context, antialias: true }) : null;
}
