import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import type { GroupRequest } from '../../../src/agent/request.ts';
import { openPolicy } from '../../../src/cli/shared/parts.ts';
import { growGroup } from '../../../src/learn/branching/grow.ts';
import { sequencesOf } from '../../../src/learn/rl/batch.ts';
import type { Policy } from '../../../src/policy/policy.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { grouping, hintOf, withoutHint } from '../../../src/systems/guide/grouping.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import { emptyRollout, policySegment, readSegment } from '../../fixtures/rollouts.ts';
import { openTestWorld, type World } from '../../learn/rl/helpers.ts';

describe('the hint', () => {
  it('is the queries of the gold chain in order, else the supporting pages', () => {
    const step = { passageId: 'p', subject: '', relation: '', object: '', title: 'Ida' };
    const chain = ['birthplace of Ida', 'mayor of Oslo'].map((query) => ({ ...step, query }));
    expect(hintOf({ chain, supporting: ['Ida', 'Oslo'] })).toBe(
      'next birthplace of Ida . next mayor of Oslo .',
    );
    expect(hintOf({ supporting: ['Ida', 'Oslo'] })).toBe('search for Ida , then for Oslo .');
    expect(hintOf({ supporting: [] })).toBeNull();
  });

  it('is not in what is trained: prompt and policy’s tokens are, with the sampler’s log-probabilities', () => {
    const guided: Rollout = {
      ...emptyRollout('g-4'),
      segments: [
        readSegment([50, 51], 'question'),
        { ...readSegment([60, 61, 62]), role: 'hint' },
        policySegment([1, 2]),
        readSegment([70]),
        policySegment([3]),
      ],
      forks: [
        { rolloutId: 'g-0', event: 0, tokens: 2, seed: 1, settings: {}, changes: { hint: 'x' } },
      ],
    };
    const [own, other] = sequencesOf([[guided, { ...guided, forks: [] }]]).map(withoutHint);
    expect([...(own?.ids ?? [])]).toEqual([50, 51, 1, 2, 70, 3]);
    expect([...(own?.mask ?? [])]).toEqual([0, 0, 1, 1, 0, 1]);
    expect([...(own?.oldLogprobs ?? [])]).toEqual([-1, -2, -3]);
    expect(own?.otherContext).toBe(true);
    expect([...(other?.ids ?? [])]).toEqual([50, 51, 60, 61, 62, 1, 2, 70, 3]);
    expect(other?.otherContext).toBeUndefined();
  });
});

describe('a group of the built-in policy', () => {
  let world: World;
  let policy: Policy;
  beforeAll(async () => {
    [world, policy] = await Promise.all([openTestWorld(), openPolicy({ device: 'wasm' })]);
  });
  afterAll(() => policy.dispose());

  const grown = (answers?: string[]): Promise<Rollout[]> => {
    const question = world.questions.find(({ hops }) => hops === 2) ?? world.questions[0]!;
    const request: GroupRequest = {
      question: answers ? { ...question, answers } : question,
      recipe: getRecipe('search'),
      overrides: { sampling: { temperature: 1 }, retrieval: { k: 1, maxSearches: 3 } },
      seed: 5,
      runId: 'run',
      groupId: 'g',
      step: 1,
      size: 3,
    };
    const deps = { policy, retriever: world.retriever, router: createRouter(), now: () => 0 };
    return growGroup(deps, request, { id: 'guide', guided: 2 }, { place: 0, kept: {}, begun: [] });
  };

  it('gets as many guided rollouts as asked for where all fail, and none where one is right', async () => {
    const failed = await grown(['nobody']);
    expect(failed.map(({ id }) => id)).toEqual(['g-0', 'g-1', 'g-2', 'g-3', 'g-4']);
    // What comes before the policy's first word; a rollout may get other hints later.
    const hints = failed.map(
      ({ segments }) => segments[segments.findIndex(({ mask }) => mask === 1) - 1]?.role === 'hint',
    );
    expect(hints).toEqual([false, false, false, true, true]);
    const sequences = await grouping({ guided: 2 }).sequences?.({
      groups: [failed],
      sequencesOf,
      kept: {},
      learner: undefined as never,
      tokenizer: policy.tokenizer,
    });
    for (const sequence of sequences ?? []) {
      const text = policy.tokenizer.decode([...sequence.ids]);
      expect(text).not.toContain('<hint> next');
      // All rollouts of a group are trained behind the same prompt.
      const prompt = (failed[0]?.segments ?? []).slice(0, 2).flatMap(({ ids }) => ids);
      expect(Array.from(sequence.ids.slice(0, prompt.length))).toEqual(prompt);
      expect(sequence.mask[prompt.length]).toBe(1);
    }
    const right = await grown();
    expect(right.some(({ metrics }) => metrics?.em === 1)).toBe(true);
    expect(right).toHaveLength(3);
  });
});
