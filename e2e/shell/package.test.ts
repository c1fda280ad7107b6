import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { stagePackage } from '../../scripts/package.mjs';
import { isAdapter } from '../../scripts/serve/adapters.mjs';
import { serve } from '../../scripts/serve/server.mjs';
import { packedLab } from '../../test/cli/packed.ts';
import { slow } from '../../test/slow/slow.ts';
import { DIST, finishedColumns, openPage, runStatus, useStage } from '../browser.ts';
import { startSmall, status } from '../training.ts';

/** What `npm pack` makes runs in an empty folder, without the sources, the packages or a network. */

const repository = resolve(import.meta.dirname, '../..');
let folder = '';
let elsewhere = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'forage-package-'));
  elsewhere = join(folder, 'elsewhere');
  mkdirSync(elsewhere);
  packedLab();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the workbench by one command; the address that it prints. */
const start = (command: string, ...args: string[]): Promise<string> =>
  new Promise((found, fail) => {
    const options = ['--no-open', '--port', '0'];
    // npm starts a shell, which starts Node: they end together.
    const child: ChildProcess = spawn(command, [...args, ...options], {
      cwd: elsewhere,
      detached: true,
    });
    let ended = false;
    onTestFinished(() => {
      if (child.pid !== undefined && !ended) process.kill(-child.pid);
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (data: Buffer) => {
        said += data.toString();
        const address = /Forage is at (\S+)/.exec(said)?.[1];
        if (address !== undefined) found(address);
      });
    child.once('exit', (code) => {
      ended = true;
      fail(new Error(`it ended with ${code}: ${said}`));
    });
  });

/** What the command line does without the sources: a rollout, and what it hands to TRL. */
const asksAndExports = (run: (words: string[]) => string): void => {
  const printed = run(['rollout', '--recipe', 'search', '--limit', '1', '--json']);
  expect(JSON.parse(printed)).toMatchObject({ n: 1, byHops: {} });
  const exported = mkdtempSync(join(elsewhere, 'exported-'));
  const out = join(exported, 'D');
  run(['export', '--recipe', 'search/grpo', '--to', 'trl', '--out', out]);
  expect(readdirSync(out)).toEqual(
    expect.arrayContaining(['experiment.json', 'questions.jsonl', 'train.py', 'check.sh']),
  );
};

describe('its files alone', () => {
  const installed = (command: string): string => join(folder, 'node_modules/.bin', command);

  const all = (): string => join(folder, 'node_modules/forage');
  const manifest = () =>
    z
      .object({ bin: z.record(z.string(), z.string()) })
      .loose()
      .parse(JSON.parse(readFileSync(join(all(), 'package.json'), 'utf8')));

  /** As npm installs them: what `files` names, with all that is in it, and a link to each command. */
  beforeAll(() => {
    mkdirSync(all(), { recursive: true });
    stagePackage(all());
    mkdirSync(join(folder, 'node_modules/.bin'));
    for (const [name, file] of Object.entries(manifest().bin)) {
      chmodSync(join(all(), file), 0o755);
      symlinkSync(join(all(), file), installed(name));
    }
  });

  test('need no other package', () => {
    for (const kind of ['dependencies', 'peerDependencies', 'bundleDependencies'])
      expect(manifest()[kind], kind).toBeUndefined();
  });

  test('name every package that they contain, with its licence', () => {
    const notices = ['dist', 'packed']
      .map((part) => readFileSync(join(all(), part, 'THIRD-PARTY.txt'), 'utf8'))
      .join('\n');
    const { dependencies } = z
      .object({ dependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')));
    const named = [...notices.matchAll(/^(\S+) \d\S* \(.+\)$/gm)].map(([, name]) => name);
    expect(named).toEqual(expect.arrayContaining(Object.keys(dependencies)));
    // Bundled with others, not named in package.json.
    expect(named).toEqual(expect.arrayContaining(['scheduler', 'd3-scale', 'mrmime']));
    expect(notices).toContain('Copyright (c) Meta Platforms, Inc. and affiliates.');
    expect(notices).toContain('Copyright (c) 2021 Vitaly Rtishchev');
  });

  test('serve the page that the other tests look at, byte by byte, and its headers', async () => {
    const looked = await serve({ root: DIST });
    onTestFinished(() => looked.close());
    const url = await start(installed('forage'));
    /** All but what differs between two requests, and between what was compressed and what was not. */
    const headersOf = ({ headers }: Response) =>
      [...headers].filter(
        ([name]) =>
          !/^(date|etag|last-modified|content-(length|encoding)|x-decoded-length|vary)$/.test(name),
      );
    const files = readdirSync(DIST, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile() && !/\.(br|gz)$/.test(one.name))
      .map((one) => join(one.parentPath, one.name).slice(DIST.length + 1));
    expect(files.length).toBeGreaterThan(100);
    // The package leaves out these 20 MB: Models does not offer what the server does not have.
    const adapters = files.filter(isAdapter);
    expect(adapters).toHaveLength(2);
    for (const path of adapters)
      expect((await fetch(url + path, { method: 'HEAD' })).status, path).toBe(404);
    const permalinks = ['', 'train?run=one', 'rollouts/a/b.jsonl%3A2'];
    for (const path of [...files.filter((one) => !isAdapter(one)), ...permalinks]) {
      const answers = [await fetch(url + path), await fetch(looked.url + path)] as const;
      const [here, there] = await Promise.all(
        answers.map(async (one) => ({
          status: one.status,
          headers: headersOf(one),
          hash: createHash('sha256')
            .update(Buffer.from(await one.arrayBuffer()))
            .digest('hex'),
        })),
      );
      expect(here, path).toEqual(there);
    }
    const page = await fetch(url);
    expect(page.status).toBe(200);
    expect(page.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
  });

  test('serve what they have as Brotli only to a client that does not take it', async () => {
    const url = await start(installed('forage'));
    const assets = join(all(), 'dist/assets');
    const large = readdirSync(assets).filter((name) => name.endsWith('.br'));
    expect(large.filter((name) => /^ort-wasm.*\.wasm\.br$/.test(name))).toHaveLength(2);
    for (const name of large.map((one) => one.slice(0, -'.br'.length))) {
      expect(existsSync(join(assets, name))).toBe(false);
      const sent = await fetch(`${url}assets/${name}`, {
        headers: { 'accept-encoding': 'identity' },
      });
      expect(sent.headers.get('content-encoding')).toBeNull();
      const bytes = Buffer.from(await sent.arrayBuffer());
      expect(bytes.equals(readFileSync(join(DIST, 'assets', name))), name).toBe(true);
      for (const header of ['content-length', 'x-decoded-length'])
        expect(Number(sent.headers.get(header)), header).toBe(bytes.length);
      const packed = await fetch(`${url}assets/${name}`, {
        method: 'HEAD',
        headers: { 'accept-encoding': 'br' },
      });
      expect(packed.headers.get('content-encoding')).toBe('br');
      expect(Number(packed.headers.get('x-decoded-length'))).toBe(bytes.length);
    }
  });

  test('have the command line too', () => {
    const options = { cwd: elsewhere, encoding: 'utf8', stdio: 'pipe' } as const;
    asksAndExports((words) => execFileSync(installed('lab'), words, options));
    // The vectors of this many passages are made by ONNX Runtime.
    const corpus = join(elsewhere, 'films.json');
    const films = Array.from({ length: 40 }, (_, i) => [
      `Silent Harbor ${i}`,
      [`Silent Harbor ${i} is by Mara Voss ${i}.`],
    ]);
    writeFileSync(corpus, JSON.stringify(Object.fromEntries(films)));
    const question = ['ask', 'Who made Silent Harbor 23?', '--recipe', 'naive-rag', '--json'];
    const words = [...question, '--method', 'flat', '--corpus', corpus];
    expect(execFileSync(installed('lab'), words, options)).toContain('Silent Harbor 23');
    // As a container starts it, by its file.
    const file = join(repository, 'packed/lab.js');
    expect(execFileSync(process.execPath, [file, 'help'], options)).toMatch(/^lab COMMAND/);
  });
});

describe('by npm', () => {
  const stage = useStage();
  let tarball = '';

  const inPackage = (...words: string[]): string[] => {
    const npm = ['exec', '--yes', '--offline', '--cache', join(folder, 'cache')];
    return [...npm, '--package', tarball, '--', ...words];
  };

  beforeAll(() => {
    // Of the build that the other tests look at.
    const staged = join(folder, 'staged');
    mkdirSync(staged);
    stagePackage(staged);
    execFileSync('npm', ['pack', staged, '--silent', '--pack-destination', folder]);
    tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
  });

  test('is at most 20 MB to load', () => {
    expect(statSync(tarball).size).toBeLessThanOrEqual(20e6);
  });

  slow(
    'e2e/shell/package.test.ts > need no other package',
    'e2e/shell/package.test.ts > serve the page that the other tests look at, byte by byte, and its headers',
    'e2e/shell/offline.test.ts > answers a question, and opens any of its places, after the server has gone',
  )('serves the workbench, which asks and trains', async () => {
    const page = await openPage(stage);
    const url = await start('npm', ...inPackage('forage'));
    await page.goto(url);
    await page.getByRole('button', { name: 'Watch it answer' }).click();
    await runStatus(page, 'done');
    expect(await finishedColumns(page)).toBe(1);
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
    await startSmall(page, { url }, { steps: 1 });
    await status(page, 'finished');
    expect(stage.faults).toEqual([]);
  });

  slow(
    'e2e/shell/package.test.ts > need no other package',
    'e2e/shell/package.test.ts > have the command line too',
  )('has the command line too', () => {
    const options = { cwd: elsewhere, encoding: 'utf8', stdio: 'pipe' } as const;
    asksAndExports((words) => execFileSync('npm', inPackage('lab', ...words), options));
  });
});
