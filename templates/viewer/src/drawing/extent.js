/** The box that holds everything that is drawn, over all times. */

import { Box3, Vector3 } from "three";

/** Arrays of points of a solution. */
function places({ bodies, points, rods, spheres, joints, lines }) {
  return [
    bodies.positions,
    points.positions,
    ...rods.map(({ positions }) => positions),
    ...spheres.map(({ centers }) => centers),
    ...joints.flatMap(({ at, other }) => [at, other]),
    ...lines.flatMap(({ from, to }) => [from, to]),
  ].filter(Boolean);
}

/** How far shapes of each body reach from its origin. */
function reaches({ bodies, shapes }) {
  const found = bodies.names.map(() => 0);
  for (const { body, at = [0, 0, 0], size, radius = 0, length = 0, vertices } of shapes) {
    const own = Math.max(Math.hypot(...(size ?? [])) / 2, radius + length / 2, vertices ? farthest(vertices) : 0);
    found[body] = Math.max(found[body] ?? 0, Math.hypot(...at) + own);
  }
  return found;
}

function farthest({ values }) {
  let square = 0;
  for (let i = 0; i < values.length; i += 3) square = Math.max(square, values[i] ** 2 + values[i + 1] ** 2 + values[i + 2] ** 2);
  return Math.sqrt(square);
}

export function extentOf({ extent, solutions }) {
  const box = new Box3();
  if (extent) box.set(new Vector3(...extent.lower), new Vector3(...extent.upper));
  const point = new Vector3();
  const include = (values, i, reach) => {
    point.fromArray(values, i).addScalar(reach);
    box.expandByPoint(point).expandByPoint(point.addScalar(-2 * reach));
  };
  for (const { values } of solutions.flatMap(places)) {
    for (let i = 0; i < values.length; i += 3) include(values, i, 0);
  }
  for (const solution of solutions) {
    const reach = reaches(solution);
    const { values } = solution.bodies.positions ?? { values: [] };
    for (let i = 0; i < values.length; i += 3) include(values, i, reach[(i / 3) % reach.length]);
    for (const { centers, radius = 1 } of solution.spheres) {
      for (let i = 0; i < centers.values.length; i += 3) include(centers.values, i, radius);
    }
  }
  if (box.isEmpty()) box.set(new Vector3(), new Vector3());
  return box;
}

/** A length for small things such as joints: a part of the scene, and of the usual distance of neighbours. */
export function detailOf({ solutions: [{ bodies, points, joints }] }, size) {
  const origins = [bodies.positions, points.positions, ...joints.map(({ at }) => at)].filter(Boolean).flatMap((array) => {
    const count = array.shape.length === 3 ? array.shape[1] : 1;
    return Array.from({ length: count }, (_, i) => [...array.values.subarray(3 * i, 3 * i + 3)]);
  });
  const gaps = origins.slice(1).map((point, i) => Math.hypot(...point.map((value, k) => value - origins[i][k])));
  const usual = gaps.filter((gap) => gap > 1e-3 * size).sort((a, b) => a - b);
  const gap = usual.length ? usual[usual.length >> 1] : size;
  return Math.min(0.03 * size, 0.15 * gap);
}
