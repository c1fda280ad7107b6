import { describe, expect, it } from 'vitest';
import { readDemonstrations } from '../../../src/learn/rl/demonstrations.ts';
import { DEFAULT_WARM_UP } from '../../../src/recipes/parts/training.ts';
import { usableDemonstrations } from '../../../src/learn/rl/warm-up-data.ts';
import { checkedSettingsSchema } from '../../../src/learn/settings/edit-settings.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { emptyRollout, metrics, policySegment, readSegment } from '../../fixtures/rollouts.ts';

/** Files of trajectories, field by field, and which of them can be learned from. */

const good = {
  format: 'forage.rollout/1',
  segments: [{ source: 'policy', role: 'think', text: 'a', ids: [1], mask: 1 }],
  metrics: { em: 1 },
};
const first = good.segments[0];
const reading = (change: object) => () =>
  readDemonstrations(JSON.stringify({ ...good, ...change }), 10);

describe('a line of a file', () => {
  it.each([
    [{ metrics: null }],
    [{ segments: [{ ...first, source: 'environment', mask: 0 }] }],
    [{ segments: [{ ...first, source: 'prompt', ids: [] }] }],
  ])('may hold %j', (change) => {
    expect(reading(change)()).toEqual([{ ...good, ...change }]);
  });

  it.each([
    ['format', { format: 'forage.rollout/2' }],
    ['segments', { segments: [] }],
    ['segments', { segments: undefined }],
    ['segments.0.source', { segments: [{ ...first, source: 'nobody' }] }],
    ['segments.0.mask', { segments: [{ ...first, mask: 2 }] }],
    ['segments.0.ids', { segments: [{ ...first, ids: undefined }] }],
    ['metrics', { metrics: undefined }],
    ['metrics.em', { metrics: { f1: 1 } }],
  ])('is refused for its %s: %j', (name, change) => {
    expect(reading(change)).toThrow(`trajectories: line 1: ${name}`);
  });

  it('is looked at segment by segment for tokens that the policy does not have', () => {
    const second = { ...first, ids: [2, 10] };
    expect(reading({ segments: [first, second] })).toThrow('tokens that this policy does not have');
  });

  it('is counted with the empty ones before it', () => {
    const line = JSON.stringify(good);
    expect(readDemonstrations(`\n ${line}\n\t\n${line}`, 10)).toHaveLength(2);
    expect(() => readDemonstrations(`${line}\n\n{`, 10)).toThrow('line 3: it is not JSON');
  });
});

it('a cold start that nobody sets is a valid one: an epoch of right answers, 4 per update, at 0.0008, until 98 % keep to the format', () => {
  const settings = { ...getTraining('search/grpo'), warmUp: { ...DEFAULT_WARM_UP } };
  const { warmUp } = checkedSettingsSchema.parse(settings);
  expect(warmUp).toEqual({
    length: { epochs: 1 },
    batch: 4,
    learningRate: 0.0008,
    onlyCorrect: true,
    heldOut: 0.1,
    questions: 16,
    stopAt: 0.98,
  });
});

describe('what can be learned from', () => {
  const of = (em: number | null, tokens: number, mask: 0 | 1 = 1): Rollout => ({
    ...emptyRollout('d'),
    segments: [
      readSegment([50, 51], 'question'),
      { ...policySegment(Array.from({ length: tokens }, () => 1)), mask },
    ],
    metrics: em === null ? null : metrics({ em }),
  });

  it('are right answers that fit, and hold something that the policy wrote', () => {
    const items = usableDemonstrations([of(1, 2), of(0, 2), of(null, 2), of(1, 3), of(1, 4)], {
      onlyCorrect: true,
      maxTokens: 5,
    });
    expect(items.map(({ ids }) => ids.length)).toEqual([4, 5]);
    expect(items[0]).toMatchObject({ temperature: 1, refLogprobs: null });
    expect([...(items[0]?.mask ?? [])]).toEqual([0, 0, 1, 1]);
    expect(items[0]?.oldLogprobs).toHaveLength(2);
    // One of which the record trains nothing is none.
    const limits = { onlyCorrect: false, maxTokens: 5 };
    expect(usableDemonstrations([of(0, 1), of(1, 1, 0)], limits)).toHaveLength(1);
  });

  it('are counted by what speaks against them where there are none', () => {
    const all = [of(0, 1), of(null, 1), of(1, 4), of(1, 5), of(1, 6), of(1, 1, 0)];
    expect(() => usableDemonstrations(all, { onlyCorrect: true, maxTokens: 5 })).toThrow(
      'cold start: none of 6 demonstrations can be used: 2 are not known to be correct, ' +
        '3 are longer than 5 tokens, 1 have no tokens of a policy',
    );
  });
});
