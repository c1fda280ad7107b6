import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { sourceFiles, targetOf } from '../../scripts/checks/source-files.ts';

/** Whatever looks up a recipe or a reward has registered them: test/setup.ts hides from all other tests where it has not. */

const ROOT = resolve(import.meta.dirname, '../..');
/** Where the product begins; and files of these folders that no other file imports. */
const ENTRIES = ['src/ui/main.tsx', 'src/cli/main.ts', 'workers/lab.ts', 'workers/policy.ts'];
const FOLDERS = ['e2e', 'bench', 'scripts'];

const targets = (path: string, text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map((found) =>
    relative(ROOT, targetOf(resolve(ROOT, path), found[1] ?? '')),
  );

interface File {
  /** Imports of values, which run before the file does. */
  first: string[];
  /** What it loads or starts later. */
  later: string[];
}

const files = new Map<string, File>(
  ['src', 'workers', ...FOLDERS].flatMap((folder) =>
    sourceFiles(resolve(ROOT, folder)).map((absolute): [string, File] => {
      const path = relative(ROOT, absolute);
      const text = readFileSync(absolute, 'utf8');
      return [
        path,
        {
          first: targets(
            path,
            text,
            /(?:^|\n)\s*(?:import|export)\s(?!type\b)(?:[^'";]*?\bfrom\s*)?['"](\.[^'"]+)['"]/g,
          ),
          later: targets(path, text, /\bimport\(\s*['"](\.[^'"]+)['"]/g),
        },
      ];
    }),
  ),
);

function loadedWith(entry: string): Set<string> {
  const found = new Set<string>();
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path) || !files.has(path)) continue;
    found.add(path);
    open.push(...(files.get(path)?.first ?? []));
  }
  return found;
}

/** Files that are loaded with `registry`, where nothing has loaded `list` before or loads it with them. */
function unregistered(registry: string, list: string): string[] {
  const faults = new Set<string>();
  const seen = new Set<string>();
  const visit = (entry: string, before: boolean): void => {
    if (seen.has(`${entry} ${before}`)) return;
    seen.add(`${entry} ${before}`);
    const loaded = loadedWith(entry);
    const registers = before || loaded.has(list);
    if (loaded.has(registry) && !registers) faults.add(entry);
    for (const path of loaded)
      for (const next of files.get(path)?.later ?? []) visit(next, registers);
  };
  const imported = new Set([...files.values()].flatMap(({ first }) => first));
  const alone = [...files.keys()].filter(
    (path) => FOLDERS.some((folder) => path.startsWith(`${folder}/`)) && !imported.has(path),
  );
  for (const entry of [...ENTRIES, ...alone]) visit(entry, false);
  // A system's own code is loaded by the loop or the trainer that runs it.
  return [...faults].filter((path) => !path.startsWith('src/systems/'));
}

test.each([
  ['src/recipes/registry.ts', 'src/systems/index.ts'],
  ['src/recipes/parts/dialect.ts', 'src/systems/index.ts'],
  ['src/agent/released.ts', 'src/systems/rewards.ts'],
  ['src/learn/rewards/registry.ts', 'src/systems/rewards.ts'],
])('%s: whatever loads it has %s', (registry, list) => {
  expect([...loadedWith('workers/lab.ts')]).toContain(list);
  expect(unregistered(registry, list)).toEqual([]);
});

test('the check finds a page that does not register', () => {
  expect(unregistered('src/learn/rewards/registry.ts', 'src/no-list.ts')).toContain(
    'src/ui/train/store/train-draft.ts',
  );
});
