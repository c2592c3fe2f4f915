/** Formatting of numbers with sufficient digits. */

const MINUS = "\u2212";

/** `value` with `digits` significant digits; powers of ten beyond 1e-4 … 1e6. */
export function shown(value, digits = 4) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text =
    size >= 1e6 || size < 1e-4 ? value.toExponential(digits - 1) : Number(value.toPrecision(digits)).toString();
  return text.replace("e+", "e").replaceAll("-", MINUS);
}

/** A number with the digits that multiples of `step` need. */
export function inSteps(value, step) {
  if (Math.abs(value) < 1e-9 * step) return "0";
  const order = Math.floor(Math.log10(step) + 1e-9);
  const size = Math.floor(Math.log10(Math.abs(value)) + 1e-9);
  if (size >= 6 || order < -5)
    return value
      .toExponential(Math.max(0, size - order))
      .replace("e+", "e")
      .replaceAll("-", MINUS);
  return value.toFixed(Math.max(0, -order)).replace("-", MINUS);
}

/** About `count` round numbers in [lower, upper], and their distance. */
export function ticks(lower, upper, count) {
  const raw = (upper - lower) / count || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((candidate) => candidate * power >= raw * (1 - 1e-9)) * power;
  const values = [];
  for (let i = Math.ceil(lower / step - 1e-9); i * step <= upper + 1e-9 * step; i++) values.push(i * step);
  return { values, step };
}
