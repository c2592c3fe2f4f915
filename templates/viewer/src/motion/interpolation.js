/** Interpolation between frames: cubic Hermite with velocities, slerp for rotations, otherwise linear. */

/** Position of `time`: between frames `index` and `index + 1`, at `fraction` of their distance `duration`. */
export function placeOf(times, time) {
  const last = times.length - 1;
  if (last === 0 || time <= times[0]) return { index: 0, fraction: 0, duration: 0 };
  if (time >= times[last]) return { index: last - 1, fraction: 1, duration: times[last] - times[last - 1] };
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  const duration = times[high] - times[low];
  return { index: low, fraction: (time - times[low]) / duration, duration };
}

/** Offsets of one item in the two frames of `place`; both are equal for the last frame. */
function offsets({ shape }, { index }, item, width) {
  const stride = (shape.length === 3 ? shape[1] : 1) * width;
  const here = index * stride + item * width;
  return [here, index + 1 < shape[0] ? here + stride : here];
}

export function linear(array, place, item, out, width = 3) {
  const [a, b] = offsets(array, place, item, width);
  const s = place.fraction;
  for (let k = 0; k < width; k++) out[k] = array.values[a + k] * (1 - s) + array.values[b + k] * s;
  return out;
}

/** Positions; `velocities` may be null. */
export function position(positions, velocities, place, item, out) {
  if (!velocities) return linear(positions, place, item, out);
  const [a, b] = offsets(positions, place, item, 3);
  const s = place.fraction;
  const r = 1 - s;
  const [atA, atB] = [(1 + 2 * s) * r * r, s * s * (3 - 2 * s)];
  const [rateA, rateB] = [s * r * r * place.duration, -s * s * r * place.duration];
  for (let k = 0; k < 3; k++) {
    out[k] =
      atA * positions.values[a + k] +
      atB * positions.values[b + k] +
      rateA * velocities.values[a + k] +
      rateB * velocities.values[b + k];
  }
  return out;
}

/** Unit quaternions (w, x, y, z) along the shorter arc, from `a` to `b` at offsets of `values`. */
export function slerp(values, a, b, s, out) {
  let cosine = 0;
  for (let k = 0; k < 4; k++) cosine += values[a + k] * values[b + k];
  const sign = cosine < 0 ? -1 : 1;
  const angle = Math.acos(Math.min(1, Math.abs(cosine)));
  // Below this angle sines lose digits, and the arc is its chord to rounding of float32.
  const arc = angle > 1e-4;
  const atA = arc ? Math.sin((1 - s) * angle) / Math.sin(angle) : 1 - s;
  const atB = sign * (arc ? Math.sin(s * angle) / Math.sin(angle) : s);
  let norm = 0;
  for (let k = 0; k < 4; k++) {
    out[k] = atA * values[a + k] + atB * values[b + k];
    norm += out[k] * out[k];
  }
  norm = Math.sqrt(norm);
  for (let k = 0; k < 4; k++) out[k] /= norm;
  return out;
}

export function rotation(rotations, place, item, out) {
  const [a, b] = offsets(rotations, place, item, 4);
  return slerp(rotations.values, a, b, place.fraction, out);
}
