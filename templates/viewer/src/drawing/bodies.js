/** Bodies: their shapes at their poses. */

import { Quaternion, Vector3 } from "three";
import { position, rotation } from "../motion/interpolation.js";
import { sharedGeometries } from "./geometry.js";
import { Instances } from "./instances.js";
import { itemHue, part } from "./palette.js";

const IDENTITY = [1, 0, 0, 0];

/** Poses of all bodies of a solution at one time, for shapes and frames. */
export class Poses {
  constructor({ names, positions, velocities, rotations }) {
    this.source = { positions, velocities, rotations };
    this.places = names.map(() => new Vector3());
    this.turns = names.map(() => new Quaternion());
  }

  update(place) {
    const { positions, velocities, rotations } = this.source;
    const [at, turn] = [
      [0, 0, 0],
      [0, 0, 0, 0],
    ];
    this.places.forEach((vector, body) => {
      vector.fromArray(position(positions, velocities, place, body, at));
      if (!rotations) return;
      const [w, x, y, z] = rotation(rotations, place, body, turn);
      this.turns[body].set(x, y, z, w);
    });
  }
}

export class Bodies {
  layer = "bodies";

  constructor({ bodies, shapes }, poses, ghost) {
    this.poses = poses;
    this.fixed = bodies.fixed ?? [];
    this.groups = sharedGeometries(shapes).map(({ geometry, members }) => ({
      copies: new Instances(geometry, members.length, { ghost }),
      members: members.map(({ shape, scale }) => {
        const [w, x, y, z] = shape.rotation ?? IDENTITY;
        return {
          body: shape.body,
          color: shape.color,
          scale: new Vector3(...scale),
          at: new Vector3(...(shape.at ?? [0, 0, 0])),
          turn: new Quaternion(x, y, z, w),
        };
      }),
    }));
    this.objects = this.groups.map(({ copies }) => copies.object);
  }

  paint(theme) {
    for (const { copies, members } of this.groups) {
      copies.paint((i) => {
        const { body, color } = members[i];
        return color ?? (this.fixed[body] ? part(theme, "fixed") : itemHue(theme, body, this.poses.places.length));
      });
    }
  }

  update() {
    const { places, turns } = this.poses;
    for (const { copies, members } of this.groups) {
      members.forEach(({ body, at, turn, scale }, i) => {
        copies.place.copy(at).applyQuaternion(turns[body]).add(places[body]);
        copies.turn.copy(turns[body]).multiply(turn);
        copies.size.copy(scale);
        copies.put(i);
      });
      copies.commit();
    }
  }
}
