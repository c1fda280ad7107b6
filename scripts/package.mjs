// `npm run package` builds the page and the commands and writes forage-VERSION.tgz. Everything that runs is bundled, so
// the package has a manifest of its own without dependencies: npm installs it without a network.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAdapter } from './serve/adapters.mjs';
import { BROTLI_ONLY, largeAssets } from './serve/brotli-only.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** What concerns only the sources. */
const OF_SOURCES = ['dependencies', 'devDependencies', 'overrides', 'allowScripts', 'scripts'];
/** What npm adds to every package. */
const ALWAYS = ['README.md', 'LICENSE'];

/**
 * Copies the files of the package, as they were built, into a folder that `npm pack` packs.
 *
 * @param {string} folder
 */
export function stagePackage(folder) {
  /** @type {Record<string, unknown> & { files: string[] }} */
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const key of OF_SOURCES) delete manifest[key];
  const dist = join(root, 'dist');
  const large = largeAssets(dist);
  /** Adapters would make it half as large again. Compressed copies are for a host of files, except where they take the place of a large one. */
  const isPacked = (/** @type {string} */ path) => {
    const name = relative(dist, path).replaceAll('\\', '/');
    if (isAdapter(name)) return false;
    return /\.(br|gz)$/.test(path) ? name.replace(/\.br$/, '') in large : !(name in large);
  };
  for (const name of [...manifest.files, ...ALWAYS])
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: isPacked });
  writeFileSync(join(folder, 'dist', BROTLI_ONLY), JSON.stringify(large));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const run = (/** @type {string} */ command, /** @type {string[]} */ ...words) =>
    execFileSync(command, words, { cwd: root, stdio: 'inherit' });
  // `npm pack` in the sources would make a package that installs again what it contains.
  if (process.env.npm_lifecycle_event === 'prepack') {
    console.error('Use `npm run package`: it writes the package without dependencies.');
    process.exit(1);
  }
  run('npm', 'run', 'build');
  run('npm', 'run', 'build:commands');
  const folder = mkdtempSync(join(tmpdir(), 'forage-package-'));
  try {
    stagePackage(folder);
    run('npm', 'pack', folder, '--pack-destination', root);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
