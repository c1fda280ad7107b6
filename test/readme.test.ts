import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { rowMarkdown, rowsOf, type WorldRecord } from '../bench/learning/report.ts';
import { coverageOf } from '../src/agent/router/coverage.ts';
import { fetchFromDisk } from '../src/cli/shared/build-world.ts';
import type { Rollout } from '../src/records/rollout.ts';
import { loadWorld } from '../src/retrieval/world/load.ts';
import { labHere } from './cli/lab.ts';

/** What the README and the page of the first form say and a clone can check in a moment. */

const recordSchema = z.object({
  world: z.string(),
  heldOut: z.string(),
  before: z.string(),
  after: z.array(z.string()),
});

vi.setConfig({ testTimeout: 600_000 });

const readme = readFileSync('README.md', 'utf8');
const firstForm = readFileSync('training/first-form.md', 'utf8');

const FIRST = ['--world-form=1', '--policy=public/first-form/policy', '--k=2'];

test('the first example asks for what the corpus has, and its answer stands beside', async () => {
  const world = await loadWorld(fetchFromDisk('public/world'));
  const question = /lab -- ask "([^"]+)"/.exec(readme)?.[1] ?? '';
  const known = world.questions.find(({ text }) => text === question);
  expect(known?.supporting.length).toBeGreaterThan(0);
  expect(readme).toContain(`ask "${question}"    # ${known?.answers[0]}`);
});

test('an example of the first form is answered as it was', async () => {
  const asked = 'Where was the director of Frozen Compass born?';
  const { status, out } = await labHere('ask', asked, ...FIRST, '--json');
  expect(status).toBe(0);
  const { metrics, answer, policy } = JSON.parse(out) as Rollout;
  expect(metrics).toMatchObject({ em: 1, recall: 1 });
  expect([answer, policy.revision]).toEqual(['Melholm', '73a6c7860a7f']);
});

test('the router’s feature tells where the page of every gold query of the first form lies', async () => {
  const world = await loadWorld(fetchFromDisk('public/first-form/world'));
  const titles = new Set(world.local.map(({ title }) => title));
  const coverage = coverageOf(world.local);
  const queries = world.questions
    .filter(({ split }) => split === 'test')
    .flatMap(({ chain }) => chain ?? []);
  const told = queries.filter(({ query, title }) => coverage(query) === Number(titles.has(title)));
  expect(firstForm.replaceAll(/\s+/g, ' ')).toContain(
    `${told.length} of ${queries.length} gold queries`,
  );
});

const squeezed = (text: string): string => text.replaceAll(/[ \n]+/g, ' ');

describe('gains on worlds that were never trained on follow from the recorded answers', () => {
  const rl = squeezed(readFileSync('training/rl.md', 'utf8'));
  const recorded = (name: string): WorldRecord[] =>
    z
      .object({ records: z.array(recordSchema) })
      .parse(JSON.parse(readFileSync(`training/${name}`, 'utf8'))).records;

  /** Of the worlds that were never trained on; a bootstrap of seconds. */
  const known = new Map<string, ReturnType<typeof rowsOf>>();
  const rowsOfOthers = (name: string): ReturnType<typeof rowsOf> => {
    const rows =
      known.get(name) ?? rowsOf(recorded(name).filter(({ world }) => world !== 'built-in'));
    known.set(name, rows);
    return rows;
  };

  test.each(readdirSync('training').filter((name) => /^worlds-.*\.json$/.test(name)))(
    'training/%s',
    (name) => {
      const records = recorded(name);
      const others = records.filter(({ world }) => world !== 'built-in');
      expect(others.map(({ world }) => world)).toEqual(['w9001', 'w9002', 'w9003']);
      for (const row of rowsOfOthers(name)) expect(rl).toContain(rowMarkdown(row));
      for (const row of rowsOf(records.filter(({ world }) => world === 'built-in')))
        expect(rl).toContain(rowMarkdown(row));
    },
  );

  test('the page of the first form says the same', () => {
    const [all, heldOut] = rowsOfOthers('worlds-dapo.json').slice(-3);
    for (const row of [all, heldOut]) {
      const [gain, low, high] = [
        row?.overQuestions.mean,
        row?.overQuestions.low,
        row?.overQuestions.high,
      ].map((share) => (100 * (share ?? NaN)).toFixed(1));
      expect(squeezed(firstForm)).toContain(`+${gain} [${low}, ${high}]`);
    }
  });
});
