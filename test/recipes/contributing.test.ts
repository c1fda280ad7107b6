import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

// It starts Node with TypeScript, which a busy machine does slowly.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

/**
 * Somebody who does what CONTRIBUTING.md says of a recipe, with the file that is there: one file and its line in the
 * list, in a copy of the sources.
 */

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const chapter = read('CONTRIBUTING.md')
  .split(/^### /mu)
  .find((part) => part.startsWith('A recipe'));
const source = /```ts\n(.*?)```/su.exec(chapter ?? '')?.[1] ?? '';
const id = /^ {2}id: '([\w-]+)'/mu.exec(source)?.[1] ?? '';
const name = /^export const (\w+): Recipe/mu.exec(source)?.[1] ?? '';

/** Runs commands of the copy one after another in one process. */
const DRIVER = `
import { runLab } from './src/cli/lab.ts';
for (const words of JSON.parse(process.argv[2])) {
  process.stdout.write('\\n#' + words.join(' ') + '\\n');
  const status = await runLab(words);
  process.stdout.write('\\n#status ' + status + '\\n');
}
`;

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'forage-stranger-'));
  cpSync(join(root, 'src'), join(dir, 'src'), { recursive: true });
  cpSync(join(root, 'scripts'), join(dir, 'scripts'), { recursive: true });
  cpSync(join(root, 'training/studies/results'), join(dir, 'training/studies/results'), {
    recursive: true,
    // A study may have left its full results here.
    filter: (path) => !/results\/(?:trained|runs|worlds|scores)(?:\/|$)/u.test(path),
  });
  cpSync(join(root, 'docs'), join(dir, 'docs'), { recursive: true });
  for (const path of ['package.json', 'tsconfig.json']) cpSync(join(root, path), join(dir, path));
  for (const path of ['node_modules', 'public']) symlinkSync(join(root, path), join(dir, path));
  writeFileSync(join(dir, 'drive.ts'), DRIVER);

  mkdirSync(join(dir, `src/systems/${id}`));
  writeFileSync(join(dir, `src/systems/${id}/system.ts`), source);
  const list = join(dir, 'src/systems/index.ts');
  const text = readFileSync(list, 'utf8').replace(
    'readonly Recipe[] = [',
    `readonly Recipe[] = [\n  ${name},`,
  );
  writeFileSync(list, `import { ${name} } from './${id}/system.ts';\n${text}`);
});
afterAll(() => rmSync(dir, { recursive: true }));

const node = (...words: string[]): string => {
  const run = spawnSync(process.execPath, ['--import', 'tsx', ...words], {
    cwd: dir,
    encoding: 'utf8',
  });
  expect(run.status, run.stderr).toBe(0);
  return run.stdout;
};

describe('a recipe of CONTRIBUTING', () => {
  it('is listed, runs, is compared and trains by its file and a line', () => {
    rmSync(join(dir, 'run'), { recursive: true, force: true });
    const commands = [
      ['recipes', '--json'],
      ['rollout', '--recipe', id, '--limit', '1', '--json'],
      ['evaluate', '--recipes', `search,${id}`, '--limit', '1', '--threads', '1', '--json'],
      `train --recipe ${id} --steps 1 --set questions=1 --set groupSize=2 --set heldOut.questions=0 --threads 1 --json --out`
        .split(' ')
        .concat(join(dir, 'run')),
    ];
    const out = node('drive.ts', JSON.stringify(commands));
    const [listed, ran, compared, trained] = out
      .split(/^#status 0$/mu)
      .map((part) => part.slice(part.indexOf('\n', part.indexOf('\n#') + 1) + 1).trim());
    const entries = JSON.parse(listed ?? '') as { id: string; variants: string[] }[];
    expect(entries.find((entry) => entry.id === id)?.variants).toEqual([`${id}/grpo`]);
    const { n, searches } = JSON.parse(ran ?? '') as { n: number; searches: number };
    expect([n, searches <= 2]).toEqual([1, true]);
    const { systems, failed } = JSON.parse(compared ?? '') as {
      systems: { id: string }[];
      failed: unknown[];
    };
    expect([systems.map((system) => system.id), failed]).toEqual([['search', id], []]);
    expect(trained).toContain('"step":1');
    const settings = readFileSync(join(dir, 'run/settings.json'), 'utf8');
    expect(JSON.parse(settings)).toMatchObject({
      settings: { preset: `${id}/grpo`, recipe: id },
    });
  });

  it('has its chapter in the list of systems', () => {
    node('scripts/systems-doc.ts');
    for (const [name, title] of [
      ['systems.md', '## Two searches\n'],
      ['systems-list.md', '- Two searches ('],
    ] as const) {
      const text = readFileSync(join(dir, 'docs', name), 'utf8');
      expect(text).toContain(`\n${title}`);
      expect(text).toContain(`\`${id}/grpo\``);
    }
  });
});
