// The ground: a lit plane with a grid of 1 m and 0.25 m drawn in its shader and faded into the sky. Shadows on it are sharp where something
// touches it and soften with the height of what casts them, as under a light that is not a point (Fernando 2005: the mean depth of what is in
// the way, then as wide a mean of lit and unlit as that asks for). Where nothing is in the way that costs less than a shadow of one width.
import { Color, MeshLambertMaterial, Vector3 } from "three";
import type { Theme } from "./theme";

export interface Ground {
  material: MeshLambertMaterial;
  centre: Vector3; // the fading starts around this point
  reach: { value: number }; // m
  setTheme(theme: Theme): void;
}

const GRID = `
float gridLine(vec2 at, float spacing, float width) {
  vec2 cell = at / spacing;
  vec2 pixel = fwidth(cell);
  vec2 away = abs(fract(cell - 0.5) - 0.5);
  vec2 line = 1.0 - smoothstep(pixel * width * 0.5, pixel * (width * 0.5 + 1.0), away);
  float crowd = clamp(1.0 - 1.6 * max(pixel.x, pixel.y), 0.0, 1.0);
  return max(line.x, line.y) * crowd;
}
`;

const SHADOW = `
#ifdef USE_SHADOWMAP
const float WIDEST = 0.016; // of the shadow map
const float SPREAD = 0.22; // width over depth, both in parts of the shadow map: a light of three degrees
vec2 bkSpot(float i, float count, float turn) { // evenly in a disc
  float angle = 2.39996323 * i + turn;
  return sqrt((i + 0.5) / count) * vec2(cos(angle), sin(angle));
}
float bkShadow(sampler2D map, vec2 size, float intensity, float bias, float radius, vec4 coord) {
  vec3 at = coord.xyz / coord.w;
  at.z += bias;
  if (min(at.x, at.y) < 0.0 || max(at.x, max(at.y, at.z)) > 1.0) return 1.0;
  float turn = 6.2831853 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))); // Jimenez 2014
  float found = 0.0;
  float depth = 0.0;
  for (int i = 0; i < 12; i++) {
    float seen = unpackRGBAToDepth(texture2D(map, at.xy + WIDEST * bkSpot(float(i), 12.0, turn)));
    if (seen < at.z) {
      found += 1.0;
      depth += seen;
    }
  }
  if (found == 0.0) return 1.0;
  float width = clamp(SPREAD * (at.z - depth / found), 1.2 / size.x, WIDEST);
  float lit = 0.0;
  for (int i = 0; i < 24; i++) lit += texture2DCompare(map, at.xy + width * bkSpot(float(i), 24.0, turn), at.z);
  return mix(1.0, lit / 24.0, intensity);
}
#define getShadow bkShadow
#endif
`;

export function makeGround(): Ground {
  const centre = new Vector3();
  const reach = { value: 12 };
  const line = { value: new Color() };
  const material = new MeshLambertMaterial({ transparent: true });
  material.onBeforeCompile = (shader) => {
    shader.uniforms.bkCentre = { value: centre };
    shader.uniforms.bkReach = reach;
    shader.uniforms.bkLine = line;
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 bkWorld;\nvarying vec2 bkFlat;")
      .replace(
        "#include <begin_vertex>",
        "#include <begin_vertex>\nbkWorld = (modelMatrix * vec4(position, 1.0)).xyz;\nbkFlat = position.xy;",
      );
    shader.fragmentShader = shader.fragmentShader
      .replace(
        "#include <common>",
        `#include <common>\nvarying vec3 bkWorld;\nvarying vec2 bkFlat;\nuniform vec3 bkCentre;\nuniform float bkReach;\nuniform vec3 bkLine;\n${GRID}`,
      )
      .replace("#include <shadowmap_pars_fragment>", `#include <shadowmap_pars_fragment>\n${SHADOW}`)
      .replace(
        "#include <color_fragment>",
        `#include <color_fragment>
        float bkGrid = max(0.9 * gridLine(bkFlat, 1.0, 0.9), 0.4 * gridLine(bkFlat, 0.25, 0.4));
        diffuseColor.rgb = mix(diffuseColor.rgb, bkLine, bkGrid);
        diffuseColor.a *= 1.0 - smoothstep(0.25 * bkReach, bkReach, distance(bkWorld, bkCentre));`,
      );
  };
  return {
    material,
    centre,
    reach,
    setTheme(theme: Theme) {
      material.color.setHex(theme.ground);
      line.value.setHex(theme.line);
    },
  };
}
