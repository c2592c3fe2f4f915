/** Numbers as text: with enough digits, and no more. */

const MINUS = "\u2212";

/** `value` with `digits` significant digits; powers of ten beyond 1e-4 … 1e6. */
export function shown(value, digits = 4) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e6 || size < 1e-4 ? value.toExponential(digits - 1) : Number(value.toPrecision(digits)).toString();
  return text.replace("e+", "e").replaceAll("-", MINUS);
}

/** A number with as many decimals as `step` needs. */
export function inSteps(value, step) {
  if (Math.abs(value) < 1e-9 * step) return "0";
  if (Math.abs(value) >= 1e6 || step < 1e-6) return shown(value, 5);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return value.toFixed(decimals).replace("-", MINUS);
}

/** Round numbers in [lower, upper], at most about `count` of them, and their distance. */
export function ticks(lower, upper, count) {
  const raw = (upper - lower) / count || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((candidate) => candidate * power >= raw * (1 - 1e-9)) * power;
  const values = [];
  for (let i = Math.ceil(lower / step - 1e-9); i * step <= upper + 1e-9 * step; i++) values.push(i * step);
  return { values, step };
}
