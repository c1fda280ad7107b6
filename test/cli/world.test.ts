import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { fetchFromDisk, writeToDisk } from '../../src/cli/shared/build-world.ts';
import { loadWorld } from '../../src/retrieval/world/load.ts';
import { writeWorld } from '../../src/retrieval/world/write.ts';
import { generateSecondWorld } from '../../src/world/second/world.ts';
import type { WorldReport } from '../../src/evaluate/world/report.ts';
import { labHere } from './lab.ts';

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
    [['--seed', '1', '--form', '3', '--out', 'w'], /--form is 3; it must be at most 2/],
    [['--seed', '1', '--world', 'w', '--out', 'w'], /--world names a folder to measure/],
    [['--report', '--form', '1'], /world needs --seed N/],
    [['--report', '--seed', '1', '--out', 'w'], /--report writes no folder/],
    [['--report', '--seed', '1', '--world', 'w'], /give one/],
    [['--report', '--world', '/nowhere'], /\/nowhere is no world: it has no manifest\.json/],
  ])('%j ends with one clear line and status 2', async (args, message) => {
    const { status, out, err } = await labHere('world', ...args);
    expect(err.trim()).toMatch(message);
    expect([status, out]).toEqual([2, '']);
  });

  test('measures a folder', async () => {
    const world = generateSecondWorld({ seed: 12, size: SIZE });
    const questions = (['train', 'dev', 'test'] as const).flatMap((split) =>
      world.questions[split].map((question) => ({ ...question, split })),
    );
    const { local, web } = world;
    const out = join(folder, 'w');
    await writeWorld({ seed: 12, form: 2, local, web, questions }, writeToDisk(out), null);
    expect((await loadWorld(fetchFromDisk(out))).manifest).toMatchObject({ form: 2, seed: 12 });

    const asJson = await labHere('world', '--report', '--world', out, '--json');
    expect(asJson.status).toBe(0);
    const report = JSON.parse(asJson.out) as WorldReport;
    expect(report).toMatchObject({
      seed: 12,
      form: 2,
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

  test('the built-in world tells systems apart: gold queries miss, and no feature tells the source', async () => {
    const { status, out } = await labHere('world', '--report', '--json');
    expect(status).toBe(0);
    const { recallAt5, secondQuery, misleading, bestRoutingFeature, contents } = JSON.parse(
      out,
    ) as WorldReport;
    for (const [name, value] of Object.entries(recallAt5)) {
      expect(value, name).toBeGreaterThanOrEqual(0.8);
      expect(value, name).toBeLessThanOrEqual(0.92);
    }
    expect(secondQuery.mended.value).toBeGreaterThan(0.5);
    expect(bestRoutingFeature.accuracy).toBeLessThanOrEqual(0.85);
    // What looks right and is wrong stands among the first five of every fifth query.
    expect(misleading.wrongAmongFive.value).toBeGreaterThan(0.2);
    for (const place of ['localOnly', 'both', 'stale', 'webOnly', 'sharedTitles'] as const)
      expect(contents.pages[place], place).toBeGreaterThan(100);
    for (const [split, share] of Object.entries(contents.yes)) {
      expect(share, split).toBeGreaterThan(0.45);
      expect(share, split).toBeLessThan(0.55);
    }
  });
});
