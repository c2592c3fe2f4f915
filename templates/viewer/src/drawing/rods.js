/** Rods: tubes along a smooth curve through the nodes, with the orientation of the sections. */

import { BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Mesh, Color } from "three";
import { linear, position, rotation, slerp } from "../motion/interpolation.js";
import { material } from "./instances.js";
import { hue } from "./palette.js";

const AROUND = 12;
/** Smallest number of rings of a rod; rods with more nodes have one ring per node. */
const RINGS = 256;

/** The rod at one time: nodes, and the tangents of the curve through them. */
export class RodShape {
  constructor({ positions, rotations, velocities, closed }) {
    this.source = { positions, rotations, velocities };
    this.closed = Boolean(closed);
    this.nodes = positions.shape[1];
    this.segments = this.closed ? this.nodes : this.nodes - 1;
    this.positions = new Float64Array(3 * this.nodes);
    this.tangents = new Float64Array(3 * this.nodes);
    this.rotations = rotations ? new Float64Array(4 * this.nodes) : null;
  }

  update(place) {
    const { positions, rotations, velocities } = this.source;
    const [at, turn] = [
      [0, 0, 0],
      [0, 0, 0, 0],
    ];
    for (let i = 0; i < this.nodes; i++) {
      this.positions.set(position(positions, velocities, place, i, at), 3 * i);
      if (rotations) this.rotations.set(rotation(rotations, place, i, turn), 4 * i);
    }
    for (let i = 0; i < this.nodes; i++) this.setTangent(i);
  }

  /** Tangents by central differences, and by parabolas through three nodes at the ends. */
  setTangent(i) {
    const p = this.positions;
    const last = this.nodes - 1;
    for (let k = 0; k < 3; k++) {
      const at = (node) => p[3 * ((node + this.nodes) % this.nodes) + k];
      let tangent;
      if (this.closed || (i > 0 && i < last)) tangent = (at(i + 1) - at(i - 1)) / 2;
      else if (last === 1) tangent = at(1) - at(0);
      else if (i === 0) tangent = (4 * at(1) - 3 * at(0) - at(2)) / 2;
      else tangent = (3 * at(last) - 4 * at(last - 1) + at(last - 2)) / 2;
      this.tangents[3 * i + k] = tangent;
    }
  }

  /** Point and tangent at the fraction `s` of `segment`. */
  along(segment, s, point, tangent) {
    const a = 3 * segment;
    const b = 3 * ((segment + 1) % this.nodes);
    const r = 1 - s;
    for (let k = 0; k < 3; k++) {
      const [pA, pB] = [this.positions[a + k], this.positions[b + k]];
      const [dA, dB] = [this.tangents[a + k], this.tangents[b + k]];
      point[k] = (1 + 2 * s) * r * r * pA + s * s * (3 - 2 * s) * pB + s * r * r * dA - s * s * r * dB;
      tangent[k] = 6 * s * r * (pB - pA) + r * (1 - 3 * s) * dA + s * (3 * s - 2) * dB;
    }
  }

  turnAlong(segment, s, out) {
    return slerp(this.rotations, 4 * segment, 4 * ((segment + 1) % this.nodes), s, out);
  }
}

/** Column `k` of the rotation matrix of a unit quaternion. */
export function column([w, x, y, z], k, out) {
  if (k === 0) return set(out, 1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y));
  if (k === 1) return set(out, 2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x));
  return set(out, 2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y));
}

function set(out, x, y, z) {
  out[0] = x;
  out[1] = y;
  out[2] = z;
  return out;
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Projects `vector` normal to the unit vector `axis`, and normalises it. */
function straighten(vector, axis) {
  const along = dot(vector, axis);
  for (let k = 0; k < 3; k++) vector[k] -= along * axis[k];
  return normalized(vector);
}

function normalized(vector) {
  const size = Math.hypot(...vector) || 1;
  for (let k = 0; k < 3; k++) vector[k] /= size;
  return vector;
}

/** The axis of the sections closest to the tangent of the curve. */
function normalAxis(shape) {
  const [turn, axis] = [
    [0, 0, 0, 0],
    [0, 0, 0],
  ];
  const sums = [0, 0, 0];
  for (let i = 0; i < shape.nodes; i++) {
    for (let k = 0; k < 4; k++) turn[k] = shape.rotations[4 * i + k];
    const tangent = shape.tangents.subarray(3 * i, 3 * i + 3);
    for (let k = 0; k < 3; k++)
      sums[k] += Math.abs(dot(column(turn, k, axis), tangent)) / (Math.hypot(...tangent) || 1);
  }
  return sums.indexOf(Math.max(...sums));
}

export class Rod {
  layer = "bodies";

  constructor(rod, ghost, index) {
    this.index = index;
    this.radius = rod.radius;
    this.shape = new RodShape(rod);
    this.shape.update({ index: 0, fraction: 0, duration: 0 });
    this.axis = this.shape.rotations ? normalAxis(this.shape) : null;
    const fine = Math.max(1, Math.round(RINGS / this.shape.segments));
    this.stations = [];
    for (let segment = 0; segment < this.shape.segments; segment++) {
      for (let i = 0; i < fine; i++) this.stations.push([segment, i / fine]);
    }
    this.stations.push([this.shape.segments - 1, 1]);
    this.rings = this.stations.length + 2; // the ends are closed by rings of no radius
    this.mesh = new Mesh(this.makeGeometry(), material(ghost, { vertexColors: true, side: DoubleSide }));
    this.mesh.frustumCulled = false;
    this.objects = [this.mesh];
    this.field = null;
  }

  makeGeometry() {
    const geometry = new BufferGeometry();
    for (const name of ["position", "normal", "color"]) {
      const attribute = new BufferAttribute(new Float32Array(3 * AROUND * this.rings), 3);
      geometry.setAttribute(name, attribute.setUsage(DynamicDrawUsage));
    }
    const triangles = [];
    for (let ring = 0; ring < this.rings - 1; ring++) {
      for (let i = 0; i < AROUND; i++) {
        const a = ring * AROUND + i;
        const b = ring * AROUND + ((i + 1) % AROUND);
        triangles.push(a, b, a + AROUND, b, b + AROUND, a + AROUND);
      }
    }
    geometry.setIndex(triangles);
    return geometry;
  }

  /** Sets the colours by a field with its scale, or one colour. */
  setField(field, scale) {
    this.field = field && { ...field, scale, atNodes: field.values.shape[1] === this.shape.nodes };
    this.plain();
  }

  paint(theme) {
    this.color = new Color(hue(theme, this.index));
    this.plain();
  }

  plain() {
    if (this.field || !this.color) return;
    const colors = this.mesh.geometry.attributes.color;
    for (let i = 0; i < colors.count; i++) this.color.toArray(colors.array, 3 * i);
    colors.needsUpdate = true;
  }

  update(place) {
    this.shape.update(place);
    const { position: positions, normal: normals, color: colors } = this.mesh.geometry.attributes;
    const [point, tangent, turn] = [
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0, 0],
    ];
    const [u, w] = [
      [0, 0, 0],
      [0, 0, 0],
    ];
    const last = this.stations.length - 1;
    this.stations.forEach(([segment, s], station) => {
      this.shape.along(segment, s, point, tangent);
      if (this.axis === null) this.carry(u, w, normalized(tangent), station);
      else {
        this.shape.turnAlong(segment, s, turn);
        column(turn, (this.axis + 1) % 3, u);
        column(turn, (this.axis + 2) % 3, w);
      }
      this.writeRing(positions.array, normals.array, station + 1, point, u, w, this.radius);
      if (station === 0) this.writeRing(positions.array, normals.array, 0, point, u, w, 0);
      if (station === last) this.writeRing(positions.array, normals.array, this.rings - 1, point, u, w, 0);
    });
    positions.needsUpdate = true;
    normals.needsUpdate = true;
    if (this.field) {
      this.writeColors(colors.array, place);
      colors.needsUpdate = true;
    }
  }

  /** A rod without sections: twist-free transport of directions. */
  carry(u, w, tangent, station) {
    if (station === 0) set(u, 0, 0, 0)[tangent.map(Math.abs).indexOf(Math.min(...tangent.map(Math.abs)))] = 1;
    straighten(u, tangent);
    for (let k = 0; k < 3; k++) {
      const [i, j] = [(k + 1) % 3, (k + 2) % 3];
      w[k] = tangent[i] * u[j] - tangent[j] * u[i];
    }
  }

  writeRing(positions, normals, ring, point, u, w, radius) {
    for (let i = 0; i < AROUND; i++) {
      const angle = (2 * Math.PI * i) / AROUND;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const at = 3 * (ring * AROUND + i);
      for (let k = 0; k < 3; k++) {
        normals[at + k] = c * u[k] + s * w[k];
        positions[at + k] = point[k] + radius * normals[at + k];
      }
    }
  }

  writeColors(colors, place) {
    const { values, scale, atNodes } = this.field;
    const count = values.shape[1];
    const now = linearRow(values, place);
    this.stations.forEach(([segment, s], station) => {
      const at = segment + s - (atNodes ? 0 : 0.5);
      const wrapped = (i) => (this.shape.closed ? (i + count) % count : Math.min(count - 1, Math.max(0, i)));
      const before = Math.floor(at);
      const [a, b] = [now[wrapped(before)], now[wrapped(before + 1)]];
      const first = 3 * AROUND * (station + 1);
      scale.write(a + (b - a) * (at - before), colors, first);
      for (let i = 1; i < AROUND; i++) colors.copyWithin(first + 3 * i, first, first + 3);
    });
    colors.copyWithin(0, 3 * AROUND, 6 * AROUND);
    colors.copyWithin(3 * AROUND * (this.rings - 1), 3 * AROUND * (this.rings - 2), 3 * AROUND * (this.rings - 1));
  }
}

/** Interpolates all values of a series [n, count] between frames. */
function linearRow(array, place) {
  return linear({ shape: [array.shape[0], 1, array.shape[1]], values: array.values }, place, 0, [], array.shape[1]);
}
