import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import { runRollout } from '../../../src/agent/run.ts';
import { readFacts } from '../../../src/learn/rewards/parts/facts.ts';
import { rewardById } from '../../../src/learn/rewards/list.ts';
import type { Policy } from '../../../src/policy/policy.ts';
import { TextPolicy } from '../../../src/policy/remote/pieces/text-policy.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import type { SettingsOverride } from '../../../src/recipes/parts/settings.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { eventsOf, expectSegments, QUESTION, retrieverOver } from '../helpers.ts';
import { ScriptedBackend, tokensOf } from '../../policy/remote/pieces/scripted-backend.ts';
import { ScriptedPolicy } from '../scripted-policy.ts';
import { tokenizer } from '../tokenizer.ts';

/** A context that restarts after each search, as SmartRAG's. */

const RESET: SettingsOverride = { retrieval: { context: 'reset', k: 1 } };
const search = (query: string): string => `<think> look</think><search> ${query}</search>`;
const answer = (text: string): string =>
  `<think> so</think><short_answer> \\boxed{ ${text} }</short_answer>`;

const rolloutOf = (policy: Policy, recipe: string, overrides: SettingsOverride): Promise<Rollout> =>
  runRollout(
    { policy, retriever: retrieverOver(), router: createRouter(), now: Date.now },
    {
      question: QUESTION,
      recipe: getRecipe(recipe),
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
  const rollout = await rolloutOf(policy, 'smart-rag', overrides);
  expectSegments(rollout);
  return { rollout, contexts: policy.sessions.map(({ ids }) => ids), policy };
}

/** Ids of a rollout by its contexts. */
const idsByContext = ({ segments, contexts = [] }: Rollout): number[][] =>
  [0, ...contexts].map((from, i) =>
    segments.slice(from, contexts[i] ?? segments.length).flatMap(({ ids }) => ids),
  );

describe('a context that begins anew behind a search', () => {
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

  it('says of each result where it stands', async () => {
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

  it('is not begun where a recipe does not ask for it', async () => {
    const { rollout } = await run([search('author of Old Wolf')], { retrieval: { k: 1 } });
    expect(rollout.contexts).toBeUndefined();
    expect(rollout.segments.some(({ role }) => role === 'result')).toBe(true);
  });
});

describe('a context that loses what was judged useless', () => {
  const STEPS = [
    '<think> who</think><search> Silent Harbor</search>',
    '<judge> no</judge><think> the book</think><search> author of Old Wolf</search>',
    '<judge> yes</judge><think> born where</think><search> Victor Kerlund</search>',
    '<judge> yes</judge><think> done</think><short_answer> \\boxed{ Borfield }</short_answer>',
  ];
  const judged = async (steps: readonly string[]): Promise<Rollout> => {
    let next = 0;
    const policy = new TextPolicy(new ScriptedBackend(() => tokensOf(steps[next++] ?? '')));
    const overrides: SettingsOverride = {
      blocks: ['judge'],
      retrieval: { context: 'judged', k: 1, source: 'local' },
    };
    return rolloutOf(policy, 'search', overrides);
  };
  const textOf = ({ segments, contexts = [] }: Rollout, context: number): string =>
    segments
      .slice(context === 0 ? 0 : contexts[context - 1], contexts[context])
      .map(({ text }) => text)
      .join('');

  it('goes on behind the next search without that result, and with all else', async () => {
    const rollout = await judged(STEPS);
    expect(rollout.contexts).toHaveLength(1);
    expect(textOf(rollout, 0)).toContain('Maria Cordine');
    const after = textOf(rollout, 1);
    expect(after).not.toContain('Maria Cordine');
    for (const kept of [
      'Silent Harbor</search>',
      '<judge> no</judge>',
      'written by Victor Kerlund',
      'born in Borfield',
    ])
      // prettier-ignore
      expect(after).toContain(kept);
    expect(rollout.answer).toBe('Borfield');
  });

  it('gives what the policy wrote before as read, so that each token is trained where it was sampled', async () => {
    const rollout = await judged(STEPS);
    const written = rollout.segments.filter(({ source }) => source === 'policy');
    expect(written.map(({ text }) => text).join('')).toBe(STEPS.join(''));
    const given = rollout.segments.filter(
      ({ source, role }) => source === 'prompt' && role === 'search',
    );
    expect(given).toHaveLength(2);
    expect(given.every(({ mask }) => mask === 0)).toBe(true);
    for (const { segment } of eventsOf(rollout, 'retrieve'))
      expect(rollout.segments[segment ?? -1]).toMatchObject({
        source: 'environment',
        role: 'result',
      });
  });

  it('stays one where all is judged useful', async () => {
    const all = STEPS.map((text) => text.replace('<judge> no', '<judge> yes'));
    expect((await judged(all)).contexts).toBeUndefined();
  });
});
