/** `node build.mjs MODULES OUT`: bundles src/ and three, from the folder MODULES, into the file OUT. */

import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [modules, out] = process.argv.slice(2).map((path) => resolve(path));
const esbuild = createRequire(`${modules}/`)("esbuild");
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Shaders of three: strings on separate lines, which minifiers do not shorten. */
const SHADER = /^(?:var|const) \w+ = ".*\\n.*";$/gm;

function shortened(shader) {
  return shader
    .replace(/\\n(?:\\t)+/g, "\\n")
    .replace(/\( +/g, "(")
    .replace(/ +\)/g, ")")
    .replace(/, /g, ",");
}

const shaders = {
  name: "shaders",
  setup(build) {
    build.onLoad({ filter: /three\.module\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      return { contents: text.replace(SHADER, shortened) };
    });
  },
};

/** Digest of the sources; a test computes it without Node.js. */
async function digestOfSources() {
  const below = (await readdir(here("src"), { recursive: true })).filter((name) => name.endsWith(".js"));
  const names = ["LICENSES", "build.mjs", "package-lock.json", ...below.map((name) => `src/${name}`)].sort();
  const digest = createHash("sha256");
  for (const name of names) digest.update(`${name}\n`).update(await readFile(here(name)));
  return digest.digest("hex");
}

const licences = await readFile(here("LICENSES"), "utf8");
const digest = await digestOfSources();

await esbuild.build({
  entryPoints: [here("src/main.js")],
  outfile: out,
  nodePaths: [modules],
  plugins: [shaders],
  banner: { js: `/*!\n${licences}\nSources: ${digest}\n*/` },
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
});
