/** Arrays of a scene: base64, deflated where that pays, little endian, in C order. */

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

async function arrayOf({ shape, base64, deflated, type }) {
  let bytes = bytesOf(base64);
  if (deflated) bytes = await inflated(bytes);
  return { shape, values: new TYPES[type](bytes.buffer, 0, bytes.byteLength / TYPES[type].BYTES_PER_ELEMENT) };
}

/** The same value with every encoded array, however deep, replaced by `{shape, values}`. */
export async function decoded(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return Promise.all(value.map(decoded));
  if ("base64" in value) return arrayOf(value);
  const entries = Object.entries(value).map(async ([key, part]) => [key, await decoded(part)]);
  return Object.fromEntries(await Promise.all(entries));
}
