// The ground: a lit plane that takes shadows, with a grid of 1 m and 0.25 m drawn in its shader and faded into the sky.
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
