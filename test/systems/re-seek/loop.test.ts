import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import { runRollout } from '../../../src/agent/run.ts';
import { TextPolicy } from '../../../src/policy/remote/text-policy.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import { eventsOf, QUESTION, retrieverOver } from '../../agent/helpers.ts';
import { ScriptedBackend, tokensOf } from '../../policy/remote/pieces/scripted-backend.ts';

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
    return runRollout(
      { policy, retriever: retrieverOver(), router: createRouter(), now: Date.now },
      {
        question: QUESTION,
        recipe: getRecipe('search'),
        overrides: {
          blocks: ['judge'],
          retrieval: { k: 1, source: 'local' },
          system: { id: 're-seek', useless: 'dropped' },
        },
        seed: 7,
        rolloutId: 'r',
        runId: 'run',
        groupId: 'g',
        step: 0,
      },
    );
  };
  const textOf = ({ segments, contexts = [] }: Rollout, context: number): string =>
    segments
      .slice(context === 0 ? 0 : contexts[context - 1], contexts[context])
      .map(({ text }) => text)
      .join('');

  it('continues after the next search without that result, and with all else', async () => {
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

  it('makes prompt tokens of what the policy wrote before, so that each token is trained where it was sampled', async () => {
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
