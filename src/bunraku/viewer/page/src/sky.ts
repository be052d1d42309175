// The sky: a dome around the camera, the haze of the horizon below and at eye level, deeper above. The ground fades into its haze.
import { BackSide, Color, Mesh, ShaderMaterial, SphereGeometry } from "three";
import type { Theme } from "./theme";

const RADIUS = 300; // m, inside of what the camera sees

const VERTEX = `
varying vec3 way;
void main() {
  way = position;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = `
uniform vec3 haze;
uniform vec3 zenith;
varying vec3 way;
void main() {
  float high = smoothstep(0.0, 0.55, normalize(way).z);
  float grain = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5; // against bands
  gl_FragColor = vec4(mix(haze, zenith, high), 1.0);
  #include <colorspace_fragment>
  gl_FragColor.rgb += grain / 255.0;
}`;

export interface Sky {
  mesh: Mesh;
  setTheme(theme: Theme): void;
}

export function makeSky(): Sky {
  const uniforms = { haze: { value: new Color() }, zenith: { value: new Color() } };
  const material = new ShaderMaterial({ uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, side: BackSide, depthWrite: false });
  const mesh = new Mesh(new SphereGeometry(RADIUS, 24, 16), material);
  mesh.renderOrder = -10;
  mesh.frustumCulled = false;
  mesh.onBeforeRender = (_renderer, _scene, camera) => {
    mesh.position.copy(camera.position);
    mesh.updateMatrixWorld();
    mesh.modelViewMatrix.multiplyMatrices(camera.matrixWorldInverse, mesh.matrixWorld);
  };
  return {
    mesh,
    setTheme(theme: Theme) {
      uniforms.haze.value.setHex(theme.sky);
      uniforms.zenith.value.setHex(theme.zenith);
    },
  };
}
