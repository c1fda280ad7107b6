import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** What documents and comments point to is there. */

const root = new URL('..', import.meta.url).pathname;

const files = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? files(path) : [path];
  });

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

test.each(DOCUMENTS)(
  '%s names files and folders that are there, and links to documents',
  (path) => {
    const text = read(path);
    const named = [...text.matchAll(/`((?:src|workers|bench|test|scripts)\/[\w./-]+)`/g)].map(
      ([, name]) => name ?? '',
    );
    const linked = [...text.matchAll(/\]\(([^):#]+)\)/g)].map(([, name]) =>
      join(dirname(path), name ?? ''),
    );
    expect(named.length + linked.length).toBeGreaterThan(0);
    expect([...named, ...linked].filter((name) => !existsSync(join(root, name)))).toEqual([]);
  },
);

test('CONTRIBUTING names commands that there are, and says what every check of npm test holds', () => {
  const text = read('CONTRIBUTING.md');
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const commands = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? '');
  expect(commands.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  const checks = [...read('scripts/test.mjs').matchAll(/^ {2,}\[+'([a-z ]+)', /gm)].map(
    ([, name]) => name ?? '',
  );
  expect(checks).toContain('types');
  expect(checks.filter((name) => !text.includes(`\n| ${name} `))).toEqual([]);
});

test('comments cite documents and sections that are there', () => {
  const sources = ['src', 'workers', 'scripts']
    .flatMap(files)
    .filter((path) => /\.(ts|tsx|mjs|c|css)$/.test(path) && statSync(join(root, path)).size < 1e6);
  const cited = sources.flatMap((path) =>
    [...read(path).matchAll(/\bdocs\/[\w-]+\.md(?:,? section (\d+))?/g)].map((match) => ({
      path,
      document: match[0].replace(/,? section.*/, ''),
      section: match[1],
    })),
  );
  const wrong = cited.filter(
    ({ document, section }) =>
      !existsSync(join(root, document)) ||
      (section !== undefined && !read(document).includes(`\n## ${section}. `)),
  );
  expect(cited.length).toBeGreaterThan(5);
  expect(wrong).toEqual([]);
});
