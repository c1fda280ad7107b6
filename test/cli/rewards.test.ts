import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { readCases } from '../../src/cli/golden/cases.ts';
import { compare } from '../../src/cli/golden/compare.ts';
import { SYSTEM_IDS } from '../../src/cli/golden/systems.ts';
import { labHere } from './lab.ts';

/** Rewards against what the released functions of thirteen systems returned for scripted rollouts. */

vi.setConfig({ testTimeout: 120_000 });

const FIXTURE = fileURLToPath(new URL('../fixtures/learn/released-rewards.jsonl', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'forage-golden-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  process.exitCode = undefined;
});

interface Printed {
  cases: number;
  equal: number;
  notComputed: number;
  differing: { id: number; released: number; live: number; rescored: number; stated: unknown }[];
}

const written = (name: string, ...lines: object[]): string => {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
};

const CASE = {
  id: 1,
  kind: 'answer',
  golds: ['Borfield'],
  turns: ['<think> so </think>\n<answer> Borfield </answer>'],
  released: { 'qa_em.compute_score_em': 1 },
};

describe('lab rewards --golden', () => {
  test('a selection of cases of every system is equal, except for gold answers that are articles', async () => {
    const { status, out } = await labHere('rewards', '--golden', FIXTURE);
    const printed = JSON.parse(out) as Printed;
    expect([status, process.exitCode]).toEqual([0, undefined]);
    expect(printed).toMatchObject({ cases: 414, equal: 410 });
    expect(printed.differing.every(({ stated }) => typeof stated === 'string')).toBe(true);
    const systems = (await readCases(FIXTURE)).map(({ system }) => system);
    expect(new Set(systems)).toEqual(new Set(SYSTEM_IDS));
  });

  test('a value that was not released is listed, live and scored again, and the status is 1', async () => {
    const golden = written('search-r1.jsonl', CASE, {
      ...CASE,
      id: 2,
      released: { 'qa_em.compute_score_em': 0.5 },
    });
    const { out } = await labHere('rewards', '--golden', golden);
    expect(process.exitCode).toBe(1);
    expect(JSON.parse(out)).toEqual({
      cases: 2,
      equal: 1,
      notComputed: 0,
      differing: [
        {
          id: 2,
          system: 'search-r1',
          kind: 'answer',
          golds: ['Borfield'],
          value: 'qa_em.compute_score_em',
          released: 0.5,
          live: 1,
          rescored: 1,
          stated: null,
        },
      ],
    });
  });

  test.each([
    [[], /^rewards needs --golden FILE\./],
    [['--golden', '/nowhere/x.jsonl'], /^\/nowhere\/x\.jsonl cannot be read/],
    [['--golden', 'EMPTY'], /has no golden cases/],
    [['--golden', 'BROKEN'], /line 2 is not a golden case: turns: /],
    [['--golden', 'OTHER'], /line 1: no released rewards of "other" are known/],
  ])('%j is a mistake: one sentence, status 2', async (words, message) => {
    const files: Record<string, string> = {
      EMPTY: written('arena.jsonl'),
      BROKEN: written('research.jsonl', CASE, { ...CASE, turns: 3 }),
      OTHER: written('other.jsonl', CASE),
    };
    const { status, out, err } = await labHere(
      'rewards',
      ...words.map((word) => files[word] ?? word),
    );
    expect([status, out]).toEqual([2, '']);
    expect(err).toMatch(message);
    expect(err.trim().split('\n')).toHaveLength(1);
  });
});

const FOLDER = fileURLToPath(new URL('../../../shared/data/released-rewards/', import.meta.url));
const files = existsSync(FOLDER)
  ? readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'))
  : [];
if (files.length === 0) console.warn('skipped: needs ../shared/data/released-rewards');

describe.skipIf(files.length === 0)('all cases of ../shared/data/released-rewards', () => {
  test.each(files)('%s: equal, or two in a hundred for the stated reason', async (name) => {
    const path = join(FOLDER, name);
    const cases = await readCases(path);
    expect(cases).toHaveLength(readFileSync(path, 'utf8').trim().split('\n').length);
    const found = await Promise.all(cases.map(compare));
    const differing = found.filter(({ differences }) => differences.length > 0);
    expect(differing.flatMap(({ differences }) => differences)).toEqual(
      differing.flatMap(({ differences }) =>
        differences.map((one) => ({ ...one, stated: expect.stringContaining('gold answer') })),
      ),
    );
    expect(differing.length).toBeLessThanOrEqual(2);
  });
});
