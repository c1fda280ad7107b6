import { describe, expect, it } from 'vitest';
import {
  advantagesUnder,
  needsLengths,
} from '../../../../src/evaluate/rollouts/what-if/advantages.ts';
import {
  flatTokens,
  hasStoredMask,
  trainedCount,
  type MaskChoice,
} from '../../../../src/evaluate/rollouts/what-if/tokens.ts';
import {
  lossOfRollout,
  lossOfRun,
  withLoss,
} from '../../../../src/evaluate/rollouts/what-if/training.ts';
import type { ImportedSegment } from '../../../../src/formats/rollouts/shape/imported.ts';
import { getTraining } from '../../../../src/systems/index.ts';
import { emptyRollout } from '../../../fixtures/rollouts.ts';

const segment = (
  source: ImportedSegment['source'],
  role: ImportedSegment['role'],
  ids: number[] | null,
  change: Partial<ImportedSegment> = {},
): ImportedSegment => ({ source, role, text: 'x', ...(ids && { ids }), ...change });

const trained = (segments: ImportedSegment[], choice: MaskChoice): number[] | null => {
  const flat = flatTokens({ segments }, choice);
  return flat && [...flat.mask];
};

describe('which tokens a loss trains', () => {
  const segments = [
    segment('prompt', 'question', [1, 2]),
    segment('policy', 'think', [3, 4], { mask: 1, lossMask: [0, 1] }),
    segment('environment', 'result', [5]),
    segment('environment', 'hint', [6], { mask: 1 }),
    segment('policy', 'answer', [7]),
  ];
  it.each([
    // Where the file says nothing of a token, the policy's own is trained.
    ['stored', [0, 0, 0, 1, 0, 1, 1]],
    ['policy', [0, 0, 1, 1, 0, 0, 1]],
    ['response', [0, 0, 1, 1, 1, 1, 1]],
    ['all-but-documents', [0, 0, 1, 1, 0, 1, 1]],
  ] as const)('%s', (choice, mask) => {
    expect(trained(segments, choice)).toEqual(mask);
  });

  it('is never the first of a context, which nothing precedes', () => {
    const alone = [segment('policy', 'think', [1, 2, 3])];
    expect(trained(alone, 'policy')).toEqual([0, 1, 1]);
    // A prompt without tokens stands before it all the same.
    const prompted = [segment('prompt', 'question', null), ...alone];
    expect(trained(prompted, 'policy')).toEqual([1, 1, 1]);
    const empty = [segment('prompt', 'question', null, { text: '' }), ...alone];
    expect(trained(empty, 'policy')).toEqual([0, 1, 1]);
  });

  it('is not known where a part of the response has no tokens', () => {
    expect(trained([segment('policy', 'think', null)], 'policy')).toBeNull();
    expect(trained([segment('prompt', 'question', null)], 'policy')).toBeNull();
    expect(
      trained([segment('policy', 'think', [1]), segment('environment', 'result', null)], 'policy'),
    ).toBeNull();
  });

  it('is said by the file itself, or not', () => {
    const says = (...list: ImportedSegment[]): boolean => hasStoredMask({ segments: list });
    expect(says(segment('policy', 'think', [1], { mask: 0 }))).toBe(true);
    expect(says(segment('policy', 'think', [1], { lossMask: [1] }))).toBe(true);
    expect(says(segment('policy', 'think', [1]))).toBe(false);
    // That a prompt is not trained goes without saying.
    expect(says(segment('prompt', 'question', [1], { mask: 0 }))).toBe(false);
  });

  it('comes with the numbers of the file, by segment and place', () => {
    const flat = flatTokens(
      {
        segments: [
          segment('prompt', 'question', [1]),
          segment('policy', 'think', null, {
            tokens: ['a', 'b'],
            logprobs: [-1, null],
            refLogprobs: [-2, -3],
            advantages: [0.5, 0.25],
          }),
        ],
      },
      'policy',
    );
    expect(flat && trainedCount(flat)).toBe(2);
    expect(flat).toEqual({
      segment: Int32Array.of(0, 1, 1),
      index: Int32Array.of(0, 0, 1),
      mask: Uint8Array.of(0, 1, 1),
      logprobs: Float64Array.of(NaN, -1, NaN),
      refLogprobs: Float64Array.of(NaN, -2, -3),
      advantages: Float64Array.of(NaN, 0.5, 0.25),
    });
  });
});

describe('advantages under a normalisation', () => {
  // One group: 1, 0, 0, of mean 1/3 and unbiased deviation √(1/3).
  const under = (...[estimator, choice]: Parameters<typeof needsLengths>): number[] => [
    ...advantagesUnder(estimator, choice, [1, 0, 0], [0, 0, 0], [1, 1, 2]),
  ];
  const close = (values: readonly number[], wanted: readonly number[]): void =>
    values.forEach((value, i) => expect(value).toBeCloseTo(wanted[i] ?? Number.NaN, 4));

  it('none: the reward less its baseline; for RLOO that of the others', () => {
    close(under('dr-grpo', 'estimator'), [2 / 3, -1 / 3, -1 / 3]);
    close(under('grpo', 'none'), [2 / 3, -1 / 3, -1 / 3]);
    close(under('rloo', 'estimator'), [1, -0.5, -0.5]);
    close(under('rloo', 'none'), [1, -0.5, -0.5]);
  });

  it('group: divided by its deviation', () => {
    const wanted = [2 / 3, -1 / 3, -1 / 3].map((a) => a / Math.sqrt(1 / 3));
    close(under('grpo', 'estimator'), wanted);
    close(under('rloo', 'group'), wanted);
  });

  it('batch: whitened over tokens', () => {
    // Tokens of advantage 2/3, −1/3, −1/3, −1/3: mean −1/12, biased variance 3/16.
    const wanted = [2 / 3, -1 / 3, -1 / 3].map((a) => (a + 1 / 12) / Math.sqrt(3 / 16));
    close(under('reinforce++-baseline', 'estimator'), wanted);
    close(under('dr-grpo', 'batch'), wanted);
    // What is whitened may be scaled before: division by the group changes nothing here.
    close(under('whitened-grpo', 'estimator'), wanted);
    close(under('grpo', 'group-and-batch'), wanted);
  });

  it('needs lengths where tokens are whitened, and nowhere else', () => {
    expect(needsLengths('grpo', 'estimator')).toBe(false);
    expect(needsLengths('grpo', 'batch')).toBe(true);
    expect(needsLengths('grpo', 'group-and-batch')).toBe(true);
    expect(needsLengths('whitened-grpo', 'estimator')).toBe(true);
    expect(needsLengths('whitened-grpo', 'group')).toBe(false);
    expect(needsLengths('reinforce++-baseline', 'estimator')).toBe(true);
  });
});

describe('the loss that a rollout went through', () => {
  const settings = getTraining('search/grpo');
  it('is set by its run, stored in its record, and read back', () => {
    const rollout = withLoss(emptyRollout('r'), settings);
    expect(lossOfRollout(rollout)).toEqual({
      preset: settings.preset,
      objective: settings.objective,
    });
    expect(lossOfRun(settings)).toEqual(lossOfRollout(rollout));
  });

  it('is none where only the router was trained, and in records without it', () => {
    const alone = { ...settings, router: { ...settings.router, train: 'alone' as const } };
    expect(lossOfRun(alone)).toBeNull();
    expect(withLoss(emptyRollout('r'), alone)).toEqual(emptyRollout('r'));
    expect(lossOfRollout({})).toBeNull();
    expect(lossOfRollout({ training: { preset: 'of another version', objective: {} } })).toBeNull();
  });
});
