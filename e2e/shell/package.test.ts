import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packedLab } from '../../test/cli/packed.ts';
import { finishedColumns, openPage, runStatus, useStage } from '../browser.ts';
import { startSmall, status } from '../training.ts';

/** What `npm pack` makes runs in an empty folder, without the sources, the packages or a network. */

const stage = useStage();
const repository = resolve(import.meta.dirname, '../..');
let folder = '';
let tarball = '';
let started: ChildProcess | undefined;

const inPackage = (...words: string[]): string[] => {
  const npm = ['exec', '--yes', '--offline', '--cache', join(folder, 'cache')];
  return [...npm, '--package', tarball, '--', ...words];
};

/** A command where npm put it at the first use: npm itself unpacks the whole package at every one. */
const installed = (command: string): string => {
  const all = join(folder, 'cache/_npx');
  const [one = ''] = readdirSync(all);
  return join(all, one, 'node_modules/.bin', command);
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'forage-package-'));
  mkdirSync(join(folder, 'elsewhere'));
  packedLab();
  // Of the build that the other tests look at.
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  execFileSync('npm', pack, { cwd: repository });
  tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
});

afterAll(() => {
  if (started?.pid !== undefined) process.kill(-started.pid);
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the workbench by one command; the address that it prints. */
const start = (): Promise<string> =>
  new Promise((found, fail) => {
    const child = spawn('npm', inPackage('forage', '--no-open', '--port', '0'), {
      cwd: join(folder, 'elsewhere'),
      // npm starts a shell, which starts Node: they end together.
      detached: true,
    });
    started = child;
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => {
        said += data.toString();
        const address = /Forage is at (\S+)/.exec(said)?.[1];
        if (address !== undefined) found(address);
      });
    child.once('exit', (code) => fail(new Error(`it ended with ${code}: ${said}`)));
  });

it('serves the workbench, which asks and trains', async () => {
  const page = await openPage(stage);
  const url = await start();
  await page.goto(url);
  await page.getByRole('button', { name: 'Run an example' }).click();
  await runStatus(page, 'done');
  expect(await finishedColumns(page)).toBe(1);
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  await startSmall(page, { url }, { steps: 1 });
  await status(page, 'finished');
  expect(stage.faults).toEqual([]);
});

it('has the command line too', () => {
  const words = ['lab', 'rollout', '--recipe', 'search', '--limit', '1', '--json'];
  const options = { cwd: join(folder, 'elsewhere'), encoding: 'utf8' } as const;
  const printed = execFileSync('npm', inPackage(...words), options);
  expect(JSON.parse(printed)).toMatchObject({ n: 1, byHops: {} });
  const exported = join(folder, 'elsewhere', 'D');
  const to = ['export', '--recipe', 'search/grpo', '--to', 'trl', '--out', exported];
  execFileSync(installed('lab'), to, { ...options, stdio: 'pipe' });
  expect(readdirSync(exported)).toEqual(
    expect.arrayContaining(['experiment.json', 'questions.jsonl', 'train.py', 'check.sh']),
  );
  // As a container starts it, by its file.
  const file = join(repository, 'packed/lab.js');
  expect(execFileSync(process.execPath, [file, 'help'], options)).toMatch(/^lab COMMAND/);
});
