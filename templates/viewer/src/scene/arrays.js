/** Arrays of a scene: base64, optionally deflated, little-endian, in C order. */

const TYPES = {
  float32: Float32Array,
  float64: Float64Array,
  int32: Int32Array,
  uint8: Uint8Array,
};

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A time series: differences of successive integer multiples of a unit;
 * the lowest bytes of all come first. */
function summed(bytes, [times], unit, differences) {
  const count = bytes.byteLength / 4;
  const components = count / times;
  const values = new Float32Array(count);
  const numbers = new Int32Array(times);
  for (let c = 0; c < components; c++) {
    for (let k = 0; k < times; k++) {
      const i = c * times + k;
      const folded = bytes[i] | (bytes[count + i] << 8) | (bytes[2 * count + i] << 16) | (bytes[3 * count + i] << 24);
      numbers[k] = (folded >>> 1) ^ -(folded & 1);
    }
    for (let d = 0; d < differences; d++) {
      for (let k = 1; k < times; k++) numbers[k] += numbers[k - 1];
    }
    for (let k = 0; k < times; k++) values[k * components + c] = numbers[k] * unit;
  }
  return values;
}

async function arrayOf({ shape, base64, deflated, type, unit, differences }) {
  let bytes = bytesOf(base64);
  if (deflated) bytes = await inflated(bytes);
  if (unit !== undefined) return { shape, values: summed(bytes, shape, unit, differences) };
  return { shape, values: new TYPES[type](bytes.buffer, 0, bytes.byteLength / TYPES[type].BYTES_PER_ELEMENT) };
}

/** A copy of a value in which `{shape, values}` replaces encoded arrays at all levels. */
export async function decoded(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return Promise.all(value.map(decoded));
  if ("base64" in value) return arrayOf(value);
  const entries = Object.entries(value).map(async ([key, part]) => [key, await decoded(part)]);
  return Object.fromEntries(await Promise.all(entries));
}
