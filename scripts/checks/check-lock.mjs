// Whether package-lock.json names every package that a locked package may want, those for other systems too.
// npm leaves out what it cannot find or what an installed folder lacks, and `npm ci` then refuses the file.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {Record<string, string>} Wanted versions by name
 * @typedef {{ version?: string, dependencies?: Wanted, optionalDependencies?: Wanted,
 *   devDependencies?: Wanted, integrity?: string, link?: boolean }} Locked
 * @typedef {{ packages: Record<string, Locked> }} Lock
 */

const ROOT = '';
const MODULES = 'node_modules/';

/** @type {(path: string) => string | null} the folder that holds this package's folder */
const parentOf = (path) => {
  if (path === ROOT) return null;
  const at = path.lastIndexOf(`/${MODULES}`);
  return at < 0 ? ROOT : path.slice(0, at);
};

/**
 * Node's way to a package: from the folder of who wants it upwards.
 * @type {(lock: Lock, from: string, name: string) => boolean}
 */
const holds = (lock, from, name) => {
  for (let path = /** @type {string | null} */ (from); path !== null; path = parentOf(path)) {
    const place = path === ROOT ? '' : `${path}/`;
    if (Object.hasOwn(lock.packages, `${place}${MODULES}${name}`)) return true;
  }
  return false;
};

/**
 * What the lock file lacks: dependencies of a locked package that it does not name, packages without
 * an integrity, and root dependencies that package.json states otherwise.
 *
 * @param {Lock} lock
 * @param {Locked} manifest package.json
 * @returns {string[]} one sentence each
 */
export function lacksOf(lock, manifest) {
  /** @type {string[]} */
  const lacks = [];
  const root = lock.packages[ROOT] ?? {};
  for (const kind of /** @type {const} */ (['dependencies', 'devDependencies']))
    for (const [name, version] of Object.entries(manifest[kind] ?? {}))
      if (root[kind]?.[name] !== version)
        lacks.push(`package.json wants ${name}@${version}; the lock file does not`);
  for (const [path, entry] of Object.entries(lock.packages)) {
    const who = path === ROOT ? 'package.json' : path.slice(path.lastIndexOf(MODULES) + 13);
    const dev = path === ROOT ? entry.devDependencies : {};
    const wanted = { ...entry.dependencies, ...dev, ...entry.optionalDependencies };
    for (const [name, version] of Object.entries(wanted))
      if (!holds(lock, path, name)) lacks.push(`${name}@${version}, which ${who} wants`);
    if (path !== ROOT && !entry.link && !entry.integrity) lacks.push(`the integrity of ${who}`);
  }
  return lacks;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
  /** @type {(name: string) => any} */
  const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const lacks = lacksOf(read('package-lock.json'), read('package.json'));
  if (lacks.length > 0) {
    console.error('package-lock.json lacks:');
    for (const one of lacks) console.error(`  ${one}`);
    console.error(
      'Make it again beside no node_modules: npm install --package-lock-only. What the registry itself\n' +
        'lacks stays away: choose a version of the package that is there for every system.',
    );
    process.exit(1);
  }
}
