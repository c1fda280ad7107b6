import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SYSTEMS_LIST_FILE, systemsList, systemsPage } from '../../scripts/systems-page.ts';
import { unmeasuredOf } from '../../src/evaluate/study/signatures/unmeasured.ts';
import { RECIPES, TRAININGS } from '../../src/systems/index.ts';
import { SWITCHES } from '../../src/recipes/switches/list.ts';
import { labHere } from './lab.ts';

interface Entry {
  id: string;
  paper: string | null;
  kind: string | null;
  departures: string[];
  signature: string | null;
  variants: string[];
  measured: unknown[];
  unmeasured: string[];
  changes?: unknown;
}

it('lab recipes lists every system with its variants, then every switch, and what a system of a paper must say', async () => {
  const { status, out } = await labHere('recipes', '--json');
  expect(status).toBe(0);
  const entries = JSON.parse(out) as Entry[];
  expect(entries.map(({ id }) => id)).toEqual([...RECIPES, ...SWITCHES].map(({ id }) => id));
  const switches = entries.slice(RECIPES.length);
  expect(new Set(switches.map(({ kind }) => kind))).toEqual(new Set(['switch of training']));
  expect(switches.every(({ paper, changes }) => paper !== null && changes)).toBe(true);
  const keys = Object.keys(entries[0] ?? {});
  for (const entry of switches) expect(Object.keys(entry)).toEqual([...keys, 'changes']);
  expect(entries.flatMap(({ variants }) => variants)).toEqual(TRAININGS.map(({ id }) => id));
  for (const { paper, departures, signature } of entries.filter((entry) => entry.paper !== null)) {
    expect(paper).toMatch(/^\d{4}\.\d{5}$/);
    expect(departures.length).toBeGreaterThan(0);
    expect(signature?.length).toBeGreaterThan(20);
  }
  // What is said to be open of a signature is beside what was measured of it.
  for (const { id, unmeasured } of entries) expect(unmeasured).toEqual(unmeasuredOf(id));
  const open = entries.filter(({ unmeasured }) => unmeasured.length > 0);
  expect(open.filter(({ measured }) => measured.length === 0)).toEqual([]);
});

it('lab reference runs its five arms over one question', async () => {
  const { status, out } = await labHere('reference', '--limit', '1', '--json');
  expect(status).toBe(0);
  const { arms } = JSON.parse(out) as {
    arms: { arm: string; all: { n: number; searches: number } }[];
  };
  expect(arms.map(({ arm, all }) => [arm, all.n])).toEqual([
    ['naive generation', 1],
    ['naive RAG', 1],
    ['gold given', 1],
    ['gold found', 1],
    ['plain search', 1],
  ]);
  expect(arms.slice(0, 3).map(({ all }) => all.searches)).toEqual([0, 1, 0]);
});

it('docs/systems-list.md has a line for every system and switch', async () => {
  const list = readFileSync(SYSTEMS_LIST_FILE, 'utf8');
  expect(list).toBe(await systemsList());
  for (const id of [...TRAININGS, ...SWITCHES].map((one) => one.id))
    expect(list).toContain(`\`${id}\``);
});

it('docs/systems.md, once written, has a chapter for every system and switch', async () => {
  const headings = (await systemsPage()).split('\n').filter((line) => /^##+ /.test(line));
  const titles = [
    ...RECIPES.map(({ title }) => `## ${title}`),
    '## Switches of training',
    ...SWITCHES.map(({ title }) => `### ${title}`),
  ];
  expect(headings).toEqual(titles);
});
