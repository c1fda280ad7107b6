import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { fetchFromDisk, writeToDisk } from '../../src/cli/shared/build-world.ts';
import { loadWorld } from '../../src/retrieval/world/load.ts';
import { writeWorld } from '../../src/retrieval/world/write.ts';
import { generateWorld } from '../../src/world/world.ts';
import type { WorldReport } from '../../src/evaluate/world/report.ts';
import type { WorldManifest, WorldQuestion } from '../../src/retrieval/world/manifest.ts';
import { slow } from '../slow/slow.ts';
import { labHere } from './lab.ts';
import { packedLab } from './packed.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const folder = mkdtempSync(join(tmpdir(), 'forage-world-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SIZE = {
  person: 150,
  film: 80,
  book: 60,
  city: 40,
  country: 12,
  company: 40,
  river: 16,
  award: 24,
  university: 24,
  band: 24,
};

describe('lab world', () => {
  test.each([
    [['--out', 'w'], /world needs --seed N/],
    [['--seed', '1', '--world', 'w', '--out', 'w'], /--world names a folder to measure/],
    [['--report', '--seed', '1', '--out', 'w'], /--report writes no folder/],
    [['--report', '--seed', '1', '--world', 'w'], /give one/],
    [
      ['--report', '--world', '/nowhere'],
      /\/nowhere is not a world folder: manifest\.json is missing/,
    ],
  ])('%j ends with one clear line and status 2', async (args, message) => {
    const { status, out, err } = await labHere('world', ...args);
    expect(err.trim()).toMatch(message);
    expect([status, out]).toEqual([2, '']);
  });

  test('measures a folder', async () => {
    const world = generateWorld({ seed: 12, size: SIZE });
    const questions = (['train', 'dev', 'test'] as const).flatMap((split) =>
      world.questions[split].map((question) => ({ ...question, split })),
    );
    const { local, web } = world;
    const out = join(folder, 'w');
    await writeWorld({ seed: 12, local, web, questions }, writeToDisk(out), null);
    expect((await loadWorld(fetchFromDisk(out))).manifest).toMatchObject({ seed: 12 });

    const asJson = await labHere('world', '--report', '--world', out, '--json');
    expect(asJson.status).toBe(0);
    const report = JSON.parse(asJson.out) as WorldReport;
    expect(report).toMatchObject({
      seed: 12,
      contents: { passages: { local: local.length, web: web.length } },
    });
    // Without vectors there is nothing to search by them.
    expect(report.recallAt5.dense).toBeNull();
    for (const value of [report.recallAt5.lexical, report.recallAt5.fused]) {
      expect(value).toBeGreaterThan(0.5);
      expect(value).toBeLessThan(1);
    }
    expect(report.secondQuery.recallAt5).toBeGreaterThan(report.recallAt5.fused);
  });

  /** What is promised of the built-in world. @param off what a recall may be off by where some queries stand for all */
  function expectTold(
    { recallAt5, secondQuery, misleading, ...report }: WorldReport,
    off: number,
  ): void {
    for (const [name, value] of Object.entries(recallAt5)) {
      expect(value, name).toBeGreaterThanOrEqual(0.8 - off);
      expect(value, name).toBeLessThanOrEqual(0.92 + off);
    }
    expect(secondQuery.mended.value).toBeGreaterThan(0.5);
    expect(report.bestRoutingFeature.accuracy).toBeLessThanOrEqual(0.85);
    // What looks right and is wrong stands among the first five of every fifth query.
    expect(misleading.wrongAmongFive.value).toBeGreaterThan(0.2);
    for (const place of ['localOnly', 'both', 'stale', 'webOnly', 'sharedTitles'] as const)
      expect(report.contents.pages[place], place).toBeGreaterThan(100);
    for (const [split, share] of Object.entries(report.contents.yes)) {
      expect(share, split).toBeGreaterThan(0.45);
      expect(share, split).toBeLessThan(0.55);
    }
  }

  test('the built-in world tells systems apart, by every sixth of its test questions', () => {
    const { status, out, err } = reportOfPackage(sampled(6));
    expect(status, err).toBe(0);
    const report = JSON.parse(out) as WorldReport;
    // Of some 200 local queries a share of 0.82 has a standard deviation of 0.027.
    expectTold(report, 0.03);
  });

  slow(
    'test/cli/world.test.ts > the built-in world tells systems apart, by every sixth of its test questions',
  )(
    'the built-in world tells systems apart: gold queries miss, and no feature tells the source',
    async () => {
      const { status, out } = await labHere('world', '--report', '--json');
      expect(status).toBe(0);
      expectTold(JSON.parse(out) as WorldReport, 0);
    },
  );
});

/** A package whose built-in world is ours, but that of `n` test questions one has its gold queries. */
function sampled(n: number): string {
  const at = mkdtempSync(join(folder, 'package-'));
  mkdirSync(join(at, 'dist', 'world'), { recursive: true });
  packedLab();
  cpSync('packed', join(at, 'packed'), { recursive: true });
  symlinkSync(resolve('node_modules'), join(at, 'node_modules'));
  for (const name of ['policy', 'encoder'])
    symlinkSync(resolve('public', name), join(at, 'dist', name));
  for (const name of readdirSync('public/world'))
    symlinkSync(resolve('public/world', name), join(at, 'dist/world', name));
  const read = (name: string): unknown =>
    JSON.parse(readFileSync(join('public/world', name), 'utf8'));
  const manifest = read('manifest.json') as WorldManifest;
  let tested = 0;
  const questions = JSON.stringify(
    (read('questions.json') as WorldQuestion[]).map((question) =>
      question.split !== 'test' || tested++ % n === 0 ? question : { ...question, chain: [] },
    ),
  );
  manifest.files['questions.json'] = {
    bytes: Buffer.byteLength(questions),
    sha256: createHash('sha256').update(questions).digest('hex'),
  };
  const write = (name: string, text: string): void => {
    rmSync(join(at, 'dist/world', name));
    writeFileSync(join(at, 'dist/world', name), text);
  };
  write('questions.json', questions);
  write('manifest.json', JSON.stringify(manifest));
  return at;
}

function reportOfPackage(at: string): { status: number | null; out: string; err: string } {
  const words = [join(at, 'packed/lab.js'), 'world', '--report', '--json'];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  return { status, out: stdout, err: stderr };
}
