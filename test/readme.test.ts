import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { coverageOf } from '../src/agent/index.ts';
import { fetchFromDisk } from '../src/cli/build-world.ts';
import type { Rollout } from '../src/data/rollout.ts';
import { loadWorld } from '../src/retrieval/world/load.ts';
import { labHere } from './cli/lab.ts';

/** What the README says and a clone can check in a moment. */

vi.setConfig({ testTimeout: 600_000 });

const readme = readFileSync('README.md', 'utf8');
const world = await loadWorld(fetchFromDisk('public/world'));

test('the first example asks for what the corpus has, and is answered right', async () => {
  const question = /lab -- ask "([^"]+)"/.exec(readme)?.[1] ?? '';
  const known = world.questions.find(({ text }) => text === question);
  expect(known?.supporting.length).toBeGreaterThan(0);
  const { status, out } = await labHere('ask', question, '--json');
  expect(status).toBe(0);
  const { metrics } = JSON.parse(out) as Rollout;
  expect(metrics).toMatchObject({ em: 1, recall: 1 });
  expect(readme).toContain(`ask "${question}"    # ${known?.answers[0]}`);
});

test('the router’s feature tells where the page of every gold query lies', () => {
  const titles = new Set(world.local.map(({ title }) => title));
  const coverage = coverageOf(world.local);
  const queries = world.questions
    .filter(({ split }) => split === 'test')
    .flatMap(({ chain }) => chain ?? []);
  const told = queries.filter(({ query, title }) => coverage(query) === Number(titles.has(title)));
  expect(readme.replaceAll(/\s+/g, ' ')).toContain(
    `${told.length} of ${queries.length} gold queries`,
  );
});
