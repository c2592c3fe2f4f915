/** Joints of parts: pins along axes, sliders on rails, balls, plates; stops and drives. */

import { BoxGeometry, CylinderGeometry, SphereGeometry, TorusGeometry, Vector3 } from "three";
import { linear } from "../motion/interpolation.js";
import { Instances } from "./instances.js";
import { part } from "./palette.js";
import { Segments } from "./segments.js";

const ALONG = new Vector3(0, 0, 1);

/** Solid parts: geometry in unit size with its axis along z. */
const SOLIDS = {
  pin: () => new CylinderGeometry(0.32, 0.32, 2.4, 20).rotateX(Math.PI / 2),
  ball: () => new SphereGeometry(0.55, 20, 14),
  slider: () => new BoxGeometry(0.9, 0.9, 1.6),
  plate: () => new BoxGeometry(3, 3, 0.16),
  block: () => new BoxGeometry(0.8, 0.8, 0.8),
  drive: () => new TorusGeometry(0.72, 0.16, 10, 28),
};

const DIAL = 24;
const RAIL = 3;

export class Joints {
  layer = "joints";

  constructor(joints, size, ghost) {
    this.size = size;
    const parts = joints.flatMap((joint) => [
      ...joint.parts.filter(([shape]) => shape in SOLIDS).map(([solid, axis]) => ({ solid, joint, axis })),
      ...(joint.driven && joint.axes?.length ? [{ solid: "drive", joint, axis: 0 }] : []),
    ]);
    this.solids = Object.keys(SOLIDS)
      .map((solid) => ({ solid, parts: parts.filter((part) => part.solid === solid) }))
      .filter((group) => group.parts.length)
      .map((group) => ({ ...group, copies: new Instances(SOLIDS[group.solid](), group.parts.length, { ghost }) }));
    for (const { copies } of this.solids) copies.size.setScalar(size);
    this.curves = joints.flatMap((joint) => this.curvesOf(joint));
    const count = this.curves.reduce((sum, curve) => sum + curve.segments, 0);
    this.lines = new Segments(count, { width: 2, opacity: ghost ? 0.35 : 1, moving: true });
    this.objects = [this.lines.object, ...this.solids.map(({ copies }) => copies.object)];
  }

  /** Lines of a joint: between its two points, a rail with stops, a dial with a pointer. */
  curvesOf(joint) {
    const curves = [];
    if (joint.other) curves.push({ joint, segments: 1, write: writeLink });
    for (const [shape, axis] of joint.parts) {
      if (shape === "rail") curves.push({ joint, axis, segments: joint.limits ? 3 : 1, write: writeRail });
      if (shape === "dial" && joint.limits && joint.coordinate) {
        curves.push({ joint, axis, segments: DIAL + 3, write: writeDial });
      }
    }
    return curves;
  }

  paint(theme) {
    for (const { solid, copies, parts } of this.solids) {
      copies.paint((i) => part(theme, solid === "drive" || parts[i].joint.driven ? "drive" : "joint"));
    }
    const colors = this.curves.flatMap(({ segments, joint }) =>
      Array(segments).fill(part(theme, joint.limits ? "drive" : "line")),
    );
    this.lines.paint((i) => colors[i]);
  }

  update(place) {
    const numbers = [0, 0, 0];
    const direction = new Vector3();
    for (const { copies, parts } of this.solids) {
      parts.forEach(({ joint, axis }, i) => {
        copies.place.fromArray(linear(joint.at, place, 0, numbers));
        const along = axis === null ? null : joint.axes?.[axis];
        direction.copy(ALONG);
        if (along) direction.fromArray(linear(along, place, 0, numbers)).normalize();
        copies.turn.setFromUnitVectors(ALONG, direction);
        copies.put(i);
      });
      copies.commit();
    }
    let first = 0;
    for (const { joint, axis, segments, write } of this.curves) {
      write({ ...joint, axis: joint.axes?.[axis] }, place, this.size, (index, start, end) =>
        this.lines.set(first + index, start.toArray(), end.toArray()),
      );
      first += segments;
    }
    this.lines.commit();
  }
}

const vectorOf = (array, place) => new Vector3().fromArray(linear(array, place, 0, [0, 0, 0]));

function writeLink({ at, other }, place, size, draw) {
  draw(0, vectorOf(at, place), vectorOf(other, place));
}

/** A vector perpendicular to a unit vector. */
function across(axis) {
  const other = Math.abs(axis.x) < 0.7 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  return other.cross(axis).normalize();
}

function writeRail({ at, axis: along, limits }, place, size, draw) {
  const origin = vectorOf(at, place);
  const axis = vectorOf(along, place).normalize();
  const [lower, upper] = limits ?? [-RAIL * size, RAIL * size];
  const end = (distance) => origin.clone().addScaledVector(axis, distance);
  draw(0, end(lower), end(upper));
  if (!limits) return;
  const side = across(axis).multiplyScalar(size);
  [lower, upper].forEach((distance, i) => draw(i + 1, end(distance).sub(side), end(distance).add(side)));
}

function writeDial({ at, axis: along, limits, coordinate, zero }, place, size, draw) {
  const origin = vectorOf(at, place);
  const axis = vectorOf(along, place).normalize();
  const first = zero ? vectorOf(zero, place).normalize() : across(axis);
  const second = axis.clone().cross(first);
  const radius = 2.2 * size;
  const [from, to] = [limits[0], Math.min(limits[1], limits[0] + 2 * Math.PI)];
  const rim = (angle, r = radius) =>
    origin
      .clone()
      .addScaledVector(first, r * Math.cos(angle))
      .addScaledVector(second, r * Math.sin(angle));
  const angleOf = (i) => from + ((to - from) * i) / DIAL;
  for (let i = 0; i < DIAL; i++) draw(i, rim(angleOf(i)), rim(angleOf(i + 1)));
  draw(DIAL, rim(from, 0.6 * radius), rim(from, 1.15 * radius));
  draw(DIAL + 1, rim(to, 0.6 * radius), rim(to, 1.15 * radius));
  draw(DIAL + 2, origin, rim(linear(coordinate, place, 0, [0], 1)[0], radius));
}
