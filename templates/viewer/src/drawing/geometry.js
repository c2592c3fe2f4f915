/** Geometries of shapes along z, in unit size if a scale suffices, with their scales. */

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  LatheGeometry,
  SphereGeometry,
  Vector2,
} from "three";

const AROUND = 32;

const alongZ = (geometry) => geometry.rotateX(Math.PI / 2);

/** A solid of revolution about z, from a profile of [radius, height] pairs in ascending order; a repeated point
 * is an edge. */
function turned(profile) {
  const sharp = profile.flatMap((point, i) => (i > 0 && i < profile.length - 1 ? [point, point] : [point]));
  const geometry = new LatheGeometry(
    sharp.map(([r, z]) => new Vector2(r, z)),
    AROUND,
  );
  geometry.normalizeNormals();
  return alongZ(geometry);
}

/** The head of an arrow of unit length, and the radii of shaft and head for a shaft of radius `r`. */
const HEAD = { length: 0.28, radius: 2.2 };

export function arrowGeometry(r) {
  const wide = HEAD.radius * r;
  return turned([
    [0, 0],
    [r, 0],
    [r, 1 - HEAD.length],
    [wide, 1 - HEAD.length],
    [0, 1],
  ]);
}

function meshGeometry({ vertices, triangles }) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(vertices.values, 3));
  geometry.setIndex(new BufferAttribute(new Uint32Array(triangles.values), 1));
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

/** For each kind of shape: key of shapes with a common geometry, this geometry, and the scale of a shape. */
const KINDS = {
  box: { key: () => "", make: () => new BoxGeometry(1, 1, 1), scale: ({ size }) => size },
  sphere: { key: () => "", make: () => new SphereGeometry(1, AROUND, AROUND / 2), scale: ({ radius: r }) => [r, r, r] },
  cylinder: {
    key: () => "",
    make: () => alongZ(new CylinderGeometry(1, 1, 1, AROUND)),
    scale: ({ radius, length }) => [radius, radius, length],
  },
  capsule: {
    key: ({ radius, length }) => length / radius,
    make: ({ radius, length }) => alongZ(new CapsuleGeometry(1, length / radius, AROUND / 4, AROUND)),
    scale: ({ radius: r }) => [r, r, r],
  },
  arrow: {
    key: ({ radius, length }) => radius / length,
    make: ({ radius, length }) => arrowGeometry(radius / length),
    scale: ({ length: l }) => [l, l, l],
  },
  tube: {
    key: ({ radius, inner_radius }) => inner_radius / radius,
    make({ radius, inner_radius }) {
      const inner = inner_radius / radius;
      return turned([
        [inner, -0.5],
        [1, -0.5],
        [1, 0.5],
        [inner, 0.5],
        [inner, -0.5],
      ]);
    },
    scale: ({ radius, length }) => [radius, radius, length],
  },
  mesh: { key: (shape, index) => index, make: meshGeometry, scale: () => [1, 1, 1] },
};

/** Shapes with one geometry: a list of `{geometry, members}`, with `scale` and the index of each member. */
export function sharedGeometries(shapes) {
  const groups = new Map();
  shapes.forEach((shape, index) => {
    const kind = KINDS[shape.kind];
    if (!kind) return;
    const key = `${shape.kind} ${kind.key(shape, index)}`;
    if (!groups.has(key)) groups.set(key, { geometry: kind.make(shape), members: [] });
    groups.get(key).members.push({ shape, scale: kind.scale(shape) });
  });
  return [...groups.values()];
}
