/** Straight segments with a width in pixels in one draw call, optionally with times. */

import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Mesh, ShaderMaterial, Vector2 } from "three";

const VERTEX = /* glsl */ `
attribute vec3 start, end, tint;
attribute vec2 moments;
uniform vec2 resolution;
uniform float width;
varying vec3 color;
varying float moment;

void main() {
  color = tint;
  moment = mix(moments.x, moments.y, position.x);
  vec4 a = modelViewMatrix * vec4(start, 1.0);
  vec4 b = modelViewMatrix * vec4(end, 1.0);
  float near = projectionMatrix[3][2] / (projectionMatrix[2][2] - 1.0);
  if (a.z > -near && b.z < -near) a = mix(a, b, (a.z + near) / (a.z - b.z));
  else if (b.z > -near && a.z < -near) b = mix(b, a, (b.z + near) / (b.z - a.z));
  a = projectionMatrix * a;
  b = projectionMatrix * b;
  vec2 along = (b.xy / b.w - a.xy / a.w) * resolution;
  float size = length(along);
  along = size > 0.0 ? along / size : vec2(1.0, 0.0);
  gl_Position = position.x < 0.5 ? a : b;
  gl_Position.xy += vec2(-along.y, along.x) * position.y * width / resolution * gl_Position.w;
}`;

const FRAGMENT = /* glsl */ `
uniform float opacity, now, span, faded;
varying vec3 color;
varying float moment;

void main() {
  if (moment > now) discard;
  gl_FragColor = vec4(color, opacity * mix(1.0, faded, min((now - moment) / span, 1.0)));
  #include <colorspace_fragment>
}`;

/** Size of the canvas in pixels, for all segments of a page. */
export const resolution = new Vector2(1, 1);

const CORNERS = [
  [0, -1, 0],
  [0, 1, 0],
  [1, -1, 0],
  [1, 1, 0],
];

/** Each segment has four vertices with both ends, because software renderers are slow with instances. */
export class Segments {
  constructor(count, { width = 1.5, opacity = 1, faded = 1, moving = false } = {}) {
    this.count = count;
    const geometry = new BufferGeometry();
    this.attributes = {};
    for (const [name, size] of [
      ["position", 3],
      ["start", 3],
      ["end", 3],
      ["tint", 3],
      ["moments", 2],
    ]) {
      const attribute = new BufferAttribute(new Float32Array(4 * count * size), size);
      if (moving) attribute.setUsage(DynamicDrawUsage);
      geometry.setAttribute(name, attribute);
      this.attributes[name] = attribute;
    }
    const triangles = new Uint32Array(6 * count);
    for (let i = 0; i < count; i++) {
      this.attributes.position.array.set(CORNERS.flat(), 12 * i);
      triangles.set([4 * i, 4 * i + 2, 4 * i + 1, 4 * i + 1, 4 * i + 2, 4 * i + 3], 6 * i);
    }
    geometry.setIndex(new BufferAttribute(triangles, 1));
    const transparent = opacity < 1 || faded < 1;
    this.material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent,
      depthWrite: !transparent,
      uniforms: {
        resolution: { value: resolution },
        width: { value: width },
        opacity: { value: opacity },
        faded: { value: faded },
        now: { value: 0 },
        span: { value: 1 },
      },
    });
    this.object = new Mesh(geometry, this.material);
    this.object.frustumCulled = false;
  }

  /** Sets the same numbers for all corners of segment `index`. */
  write(name, index, numbers) {
    const { array, itemSize } = this.attributes[name];
    for (let corner = 0; corner < 4; corner++) array.set(numbers, (4 * index + corner) * itemSize);
  }

  /** Sets the ends of segment `index`, arrays of three numbers. */
  set(index, start, end) {
    this.write("start", index, start);
    this.write("end", index, end);
  }

  /** Sets the times of the two ends of segment `index`, before which it is not drawn. */
  setMoments(index, start, end) {
    this.write("moments", index, [start, end]);
  }

  /** One colour, or `color(index)` for each segment. */
  paint(color) {
    const choose = typeof color === "function" ? color : () => color;
    const linear = new Color();
    for (let i = 0; i < this.count; i++) this.write("tint", i, linear.set(choose(i)).toArray());
    this.attributes.tint.needsUpdate = true;
  }

  /** Uploads all changes of segments. */
  commit() {
    this.attributes.start.needsUpdate = true;
    this.attributes.end.needsUpdate = true;
    this.attributes.moments.needsUpdate = true;
  }

  setTime(now, span) {
    this.material.uniforms.now.value = now;
    this.material.uniforms.span.value = span || 1;
  }
}
