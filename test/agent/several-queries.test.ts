import { describe, expect, it } from 'vitest';
import type { Rollout } from '../../src/records/rollout.ts';
import { instructionText } from '../../src/agent/transcript/instruction.ts';
import { getRecipe } from '../../src/systems/index.ts';
import { contextText, eventsOf, expectInvariants, run } from './helpers.ts';

/** DeepDiver's rounds: several queries in one search, answered by one result. */

const search = (text: string): string => `<think> t</think><search> ${text}</search>`;
const ANSWER = '<think> t</think><short_answer> \\boxed{ Borfield }</short_answer>';

const diving = async (text: string, most = 7): Promise<Rollout> => {
  const { rollout, policy } = await run(
    { main: [search(text), ANSWER] },
    { recipe: 'deep-diver', overrides: { retrieval: { maxSearches: most } } },
  );
  expectInvariants(rollout, policy);
  return rollout;
};
const queries = (rollout: Rollout): string[] => eventsOf(rollout, 'search').map((e) => e.query);
const shown = (rollout: Rollout): string[] =>
  rollout.segments.flatMap(({ role, text }) => (role === 'result' ? [text] : []));

describe('several queries in one search', () => {
  it('are asked one by one and answered by one result, each passage once', async () => {
    const rollout = await diving('author of Old Wolf ; birth city of Victor Kerlund');
    expect(queries(rollout)).toEqual(['author of Old Wolf', 'birth city of Victor Kerlund']);
    expect(eventsOf(rollout, 'retrieve')).toHaveLength(2);
    expect(rollout.metrics).toMatchObject({ searches: 2, em: 1 });
    const results = shown(rollout);
    expect(results).toHaveLength(1);
    const titles = new Set(
      eventsOf(rollout, 'retrieve').flatMap(({ hits }) => hits.map(({ passage }) => passage.title)),
    );
    expect(titles.size).toBeGreaterThan(1);
    for (const title of titles) expect(results[0]).toContain(title);
  });

  it('beyond five, and beyond the searches that are left, are not asked', async () => {
    expect(queries(await diving('a1 ; b2 ; c3 ; d4 ; e5 ; f6'))).toHaveLength(5);
    expect(queries(await diving('a1 ; b2 ; c3', 2))).toEqual(['a1', 'b2']);
  });

  it('are one query where the recipe knows no others', async () => {
    const { rollout } = await run({ main: [search('a ; b'), ANSWER] }, { recipe: 'search' });
    expect(queries(rollout)).toEqual(['a ; b']);
    expect(contextText(rollout)).toContain('a ; b');
  });

  it('are offered to a policy that reads instructions', () => {
    const told = (id: string): string => instructionText(getRecipe(id).settings);
    expect(told('deep-diver')).toContain('up to 5 such queries');
    expect(told('search')).not.toContain('such queries');
  });
});
