/** All objects of a scene in layers; each is painted for a theme and updated for a time. */

import { Group, Vector3 } from "three";
import { placeOf } from "../motion/interpolation.js";
import { Arrows, longest } from "./arrows.js";
import { Bodies, Poses } from "./bodies.js";
import { Connections } from "./connections.js";
import { detailOf, extentOf } from "./extent.js";
import { BodyFrames, SectionFrames } from "./frames.js";
import { Ground, SpaceAxes } from "./ground.js";
import { Joints } from "./joints.js";
import { Momentum } from "./momenta.js";
import { ColorScale, hue, itemHue } from "./palette.js";
import { Points } from "./points.js";
import { Rod } from "./rods.js";
import { Spheres } from "./spheres.js";
import { Trails } from "./trails.js";

/** Layers in the order of their switches, with initial states. */
export const LAYERS = [
  { name: "bodies", label: "Bodies", on: true, fixed: true },
  { name: "trails", label: "Trails", on: true },
  { name: "frames", label: "Frames", on: false },
  { name: "joints", label: "Joints and constraints", on: true },
  { name: "loads", label: "Loads", on: false },
  { name: "constraint forces", label: "Constraint forces", on: false },
  { name: "constraint moments", label: "Constraint moments", on: false },
  { name: "axes", label: "Axes of space", on: true },
  { name: "grid", label: "Ground grid", on: true },
];

/** Largest number of trails, uniformly distributed over the items, including the last item. */
const TRAILED = 12;

const count = (array) => (array ? array.shape[1] : 0);
const indices = (length) => Array.from({ length }, (_, i) => i);

export class World {
  constructor(scene) {
    this.up = new Vector3(...scene.up).normalize();
    ({ box: this.box, cloud: this.cloud } = extentOf(scene));
    this.size = this.box.getSize(new Vector3()).length() || 1;
    this.detail = detailOf(scene, this.size);
    this.root = new Group();
    this.actors = scene.solutions.map((solution, i) => ({
      times: solution.times,
      things: this.thingsOf(solution, scene, i > 0),
    }));
    this.surroundings = this.surround();
    this.layers = LAYERS.filter(({ name }) => this.things().some(({ layer }) => layer === name));
    for (const object of this.things().flatMap(({ objects }) => objects)) this.root.add(object);
    this.shown = new Set(["poses"]);
    for (const { name, on } of this.layers) if (name === "grid" ? scene.ground : on) this.shown.add(name);
    this.isolated = false;
    this.apply();
  }

  *actorsThings() {
    for (const { things } of this.actors) yield* things;
  }

  things() {
    return [...this.actorsThings(), ...this.surroundings];
  }

  surround() {
    const center = this.box.getCenter(new Vector3());
    const corners = indices(8).map(
      (i) => new Vector3(...["x", "y", "z"].map((axis, k) => this.box[(i >> k) & 1 ? "max" : "min"][axis])),
    );
    const height = Math.min(...corners.map((corner) => corner.dot(this.up)));
    const ground = new Ground(this.up, center, height, this.size);
    return [ground, new SpaceAxes(0.6 * ground.spacing)];
  }

  thingsOf(solution, scene, ghost) {
    const { times, bodies, shapes, points, rods, spheres, momenta, joints, lines, arrows } = solution;
    const things = [];
    if (bodies.positions) {
      const poses = new Poses(bodies);
      const moving = indices(count(bodies.positions)).filter((i) => !bodies.fixed?.[i]);
      things.push({ layer: "poses", objects: [], paint() {}, update: (place) => poses.update(place) });
      things.push(new Bodies(solution, poses, ghost));
      if (!ghost) this.poses = poses;
      if (bodies.rotations) things.push(new BodyFrames(poses, 3.5 * this.detail, ghost));
      things.push(
        ...this.trails(times, bodies, moving, (theme, item) => itemHue(theme, item, bodies.names.length), ghost),
      );
    }
    if (points.positions) {
      const first = count(bodies.positions);
      const all = indices(count(points.positions));
      const balls = new Points(points, ghost, first);
      if (!ghost) this.points = balls;
      const colorOf = (theme, item) => itemHue(theme, first + item, first + all.length);
      things.push(balls, ...this.trails(times, points, all, colorOf, ghost));
    }
    const tubes = rods.map((rod, i) => new Rod(rod, ghost, i));
    if (!ghost) this.rods = tubes;
    tubes.forEach((tube, i) => {
      things.push(tube);
      if (tube.shape.rotations) things.push(new SectionFrames(tube.shape, 4 * tube.radius, ghost));
      const ends = tube.shape.closed ? [0] : [0, tube.shape.nodes - 1];
      things.push(...this.trails(times, rods[i], ends, (theme) => hue(theme, i), ghost));
    });
    things.push(...spheres.map((sphere) => new Spheres(sphere, ghost)));
    things.push(...momenta.map((momentum, i) => this.momentum(times, momentum, i, ghost)));
    if (joints.length) things.push(new Joints(joints, this.detail, ghost));
    if (lines.length)
      things.push(
        new Connections(
          lines.map(({ from, to }) => [from, to]),
          ghost,
        ),
      );
    for (const group of new Set(arrows.map((arrow) => arrow.group))) {
      const own = arrows.filter((arrow) => arrow.group === group);
      const everywhere = scene.solutions.flatMap((other) => other.arrows.filter((arrow) => arrow.group === group));
      const greatest = Math.max(...everywhere.map(({ vectors }) => longest(vectors)));
      things.push(new Arrows(group, own, greatest, this.size, ghost));
    }
    return things;
  }

  /** Trails of some of `items`. */
  trails(times, source, items, colorOf, ghost) {
    if (times.length < 2 || !items.length) return [];
    const stride = Math.ceil(items.length / TRAILED);
    const chosen = items.filter((_, i) => (items.length - 1 - i) % stride === 0);
    return [new Trails(times, source, chosen, colorOf, this.size, ghost)];
  }

  /** Momentum spheres next to the other objects, or in the centre without other objects. */
  momentum(times, momentum, index, ghost) {
    const extent = this.box.getSize(new Vector3());
    const alone = extent.length() === 0;
    const radius = alone ? 1 : 0.16 * this.size;
    const center = this.box.getCenter(new Vector3());
    center.x += (alone ? 0 : extent.x / 2 + 1.5 * radius) + 2.5 * radius * index;
    this.outer ??= this.box.clone();
    this.outer.expandByPoint(center.clone().addScalar(radius)).expandByPoint(center.clone().addScalar(-radius));
    this.cloud.push({ center, radius });
    return new Momentum(times, momentum, radius, center.toArray(), index, ghost);
  }

  /** Bounding box of the scene. */
  get seen() {
    return this.outer ?? this.box;
  }

  paint(theme) {
    for (const thing of this.things()) thing.paint(theme);
  }

  update(time) {
    for (const { times, things } of this.actors) {
      const place = placeOf(times, time);
      for (const thing of things) if (this.shown.has(thing.layer)) thing.update(place, time);
    }
  }

  show(layer, on) {
    if (on) this.shown.add(layer);
    else this.shown.delete(layer);
    this.apply();
  }

  /** Shows bodies only, or the selected layers. */
  isolate(on) {
    this.isolated = on;
    this.apply();
  }

  apply() {
    for (const { layer, objects } of this.things()) {
      const visible = this.isolated ? layer === "bodies" : this.shown.has(layer);
      for (const object of objects) object.visible = visible;
    }
  }

  /** Targets of the camera: names and current positions. */
  followed({ bodies, points, rods }) {
    return [
      ...bodies.names.map((name, i) => ({ name, at: () => this.poses.places[i] })),
      ...points.names.map((name, i) => ({ name, at: () => this.points.places[i] })),
      ...rods.map(({ name }, i) => ({ name, at: () => middle(this.rods[i].shape) })),
    ];
  }

  /** Fields of rods by label, each with a scale over all times and solutions. */
  fields(scene) {
    const found = new Map();
    for (const field of scene.solutions.flatMap(({ rods }) => rods.flatMap(({ fields }) => fields ?? []))) {
      const key = fieldKey(field);
      const { range } = found.get(key) ?? { range: [Infinity, -Infinity] };
      for (const value of field.values.values) {
        range[0] = Math.min(range[0], value);
        range[1] = Math.max(range[1], value);
      }
      found.set(key, { key, unit: field.unit ?? "", range });
    }
    return [...found.values()].map((field) => ({ ...field, scale: new ColorScale(field.range) }));
  }

  /** Colours rods by the field with this key, or uniformly. */
  colorBy(scene, field) {
    scene.solutions.forEach(({ rods }, i) => {
      const tubes = this.actors[i].things.filter((thing) => thing instanceof Rod);
      tubes.forEach((tube, k) => {
        const own = field && rods[k].fields?.find((candidate) => fieldKey(candidate) === field.key);
        tube.setField(own ?? null, field?.scale);
      });
    });
  }
}

const fieldKey = ({ label, component }) => [label, component].filter(Boolean).join(" ");

function middle({ positions, nodes }) {
  return new Vector3().fromArray(positions, 3 * (nodes >> 1));
}
