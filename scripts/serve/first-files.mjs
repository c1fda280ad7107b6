import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What the workers of a page begin with. A worker asks for its files when its own script runs, and is started by a
 * worker that had to arrive and run before: over a network most of a first visit is spent waiting for the next
 * of these. The page knows them by this list, and asks for them ahead.
 */

/** Names of the worker scripts, by what the page needs them for. */
const WORKERS = { lab: 'lab', sources: 'retrieval', policy: 'policy' };

const DATA = {
  lab: [],
  sources: [
    'encoder/encoder.json',
    'encoder/tokenizer.json',
    'encoder/model.onnx',
    'world/manifest.json',
    'world/local.json',
    'world/questions.json',
    'world/vectors.f16',
    'world/web/index.json',
    'world/web/lengths.bin',
  ],
  policy: [
    'policy/config.json',
    'policy/tokenizer_config.json',
    'policy/tokenizer.json',
    'policy/model.safetensors',
  ],
};

/** Scripts that this one cannot run without, itself first. */
async function withImports(/** @type {string} */ assets, /** @type {string} */ name) {
  const found = new Set([name]);
  for (const one of found) {
    const code = await readFile(join(assets, one), 'utf8');
    // As the build writes static imports: `import{a as b}from"./c.js"`, `import"./c.js"`.
    for (const [, file] of code.matchAll(
      /\bimport\s*(?:\{[^}]*\}\s*from\s*)?["']\.\/([\w.-]+\.js)["']/g,
    ))
      if (file) found.add(file);
  }
  return [...found];
}

/**
 * The files of a built page by what they are for: `lab` for every page, `sources` and `policy` for those that search
 * and sample. Paths are from the folder of the page.
 *
 * @param {string} root folder of the built page
 * @returns {Promise<Record<keyof typeof WORKERS, string[]>>}
 */
export async function firstFiles(root) {
  const assets = join(root, 'assets');
  const names = await readdir(assets);
  const filesOf = async (/** @type {keyof typeof WORKERS} */ part) => {
    const script = names.find((name) => new RegExp(`^${WORKERS[part]}-[\\w-]{8}\\.js$`).test(name));
    if (script === undefined) throw new Error(`the build has no worker of ${WORKERS[part]}`);
    const missing = DATA[part].filter((file) => !existsSync(join(root, file)));
    if (missing.length > 0) throw new Error(`the build lacks ${missing.join(', ')}`);
    const scripts = await withImports(assets, script);
    return [...scripts.map((name) => `assets/${name}`), ...DATA[part]];
  };
  return {
    lab: await filesOf('lab'),
    sources: await filesOf('sources'),
    policy: await filesOf('policy'),
  };
}

/** Writes the list into a built page, for `src/ui/lab/first-files.ts`; a page without a lab begins with nothing. */
export async function writeFirstFiles(/** @type {string} */ root) {
  if (!(await readdir(join(root, 'assets'))).some((name) => /^lab-[\w-]{8}\.js$/.test(name)))
    return;
  const path = join(root, 'index.html');
  const html = await readFile(path, 'utf8');
  const list = JSON.stringify(await firstFiles(root)).replaceAll('"', '&quot;');
  await writeFile(
    path,
    html.replace('</head>', `  <meta name="first-files" content="${list}" />\n  </head>`),
  );
}
