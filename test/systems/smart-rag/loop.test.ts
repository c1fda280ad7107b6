import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import { runRollout } from '../../../src/agent/run.ts';
import { readFacts } from '../../../src/learn/rewards/parts/facts.ts';
import { rewardById } from '../../../src/learn/rewards/registry.ts';
import '../../../src/systems/rewards.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import type { SettingsOverride } from '../../../src/recipes/parts/settings.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { eventsOf, expectSegments, QUESTION, retrieverOver } from '../../agent/helpers.ts';
import { ScriptedPolicy } from '../../agent/scripted-policy.ts';
import { tokenizer } from '../../agent/tokenizer.ts';

const RESET: SettingsOverride = { retrieval: { k: 1 }, system: { reset: true } };
const search = (query: string): string => `<think> look</think><search> ${query}</search>`;
const answer = (text: string): string =>
  `<think> so</think><short_answer> \\boxed{ ${text} }</short_answer>`;

const rolloutOf = (policy: ScriptedPolicy, overrides: SettingsOverride): Promise<Rollout> =>
  runRollout(
    { policy, retriever: retrieverOver(), router: createRouter(), now: Date.now },
    {
      question: QUESTION,
      recipe: getRecipe('smart-rag'),
      overrides,
      seed: 7,
      rolloutId: 'r',
      runId: 'run',
      groupId: 'g',
      step: 0,
    },
  );

/** @param texts what each context writes, in turn */
async function run(
  [first = '', ...asides]: readonly string[],
  overrides: SettingsOverride = RESET,
): Promise<{ rollout: Rollout; contexts: number[][]; policy: ScriptedPolicy }> {
  const policy = new ScriptedPolicy({ main: [first], asides });
  const rollout = await rolloutOf(policy, overrides);
  expectSegments(rollout);
  return { rollout, contexts: policy.sessions.map(({ ids }) => ids), policy };
}

/** Ids of a rollout by its contexts. */
const idsByContext = ({ segments, contexts = [] }: Rollout): number[][] =>
  [0, ...contexts].map((from, i) =>
    segments.slice(from, contexts[i] ?? segments.length).flatMap(({ ids }) => ids),
  );

describe('a context that restarts after a search', () => {
  it('holds the result, where a background stands, and the question, and nothing else that was read or written', async () => {
    const texts = [search('author of Old Wolf'), search('birthplace of Victor Kerlund'), answer('Borfield')]; // prettier-ignore
    const { rollout, contexts, policy } = await run(texts);
    expect(rollout.contexts).toHaveLength(2);
    // The segments are the contexts in turn.
    expect(idsByContext(rollout)).toEqual(contexts);
    expect(policy.sessions.every(({ closed }) => closed)).toBe(true);
    const [first, second, third] = contexts.map((ids) => tokenizer.decode(ids));
    expect(first).toContain('author of Old Wolf');
    expect(second).toMatch(
      /^<background> .*Victor Kerlund.*<\/background><question> .*<\/question>/su,
    );
    expect(second).not.toContain('author of Old Wolf</search>');
    // What the first search found is not seen again.
    expect(third).toMatch(/<background> .*Kerlund/su);
    expect(third).not.toContain('written by');
    expect(rollout.answer).toBe('Borfield');
    expect(rollout.metrics).toMatchObject({ em: 1, searches: 2, formatValid: true });
  });

  it('records the segment of each result', async () => {
    const { rollout } = await run([search('author of Old Wolf'), answer('Borfield')]);
    const [found] = eventsOf(rollout, 'retrieve');
    const segment = rollout.segments[found?.segment ?? -1];
    expect(segment).toMatchObject({ source: 'environment', role: 'background' });
    expect(segment?.text).toContain(found?.hits[0]?.passage.title ?? '?');
    expect(rollout.contexts).toEqual([found?.segment]);
  });

  it('costs a search 0.2 as in one context: 1.8 for one and a right answer, 0.1 for two and half of it', async () => {
    const reward = ({ rollout }: { rollout: Rollout }): number =>
      (rewardById('smart-rag')?.clauses(readFacts(rollout), {}) ?? []).reduce(
        (sum, { value, weight }) => sum + value * weight,
        0,
      );
    const one = await run([search('author of Old Wolf'), answer('Borfield')]);
    expect(reward(one)).toBeCloseTo(1.8, 12);
    // Of three words one is gold: F1 is one half.
    const two = await run([search('author of Old Wolf'), search('Victor Kerlund'), answer('Borfield town north')]); // prettier-ignore
    expect(reward(two)).toBeCloseTo(0.1, 12);
  });

  it('is one where the reset is off', async () => {
    const { rollout } = await run([search('author of Old Wolf')], { retrieval: { k: 1 } });
    expect(rollout.contexts).toBeUndefined();
    expect(rollout.segments.some(({ role }) => role === 'result')).toBe(true);
  });
});
