import { expect, it } from 'vitest';
import { tokenTable } from '../../../../../src/evaluate/rollouts/reading/token-table.ts';
import type { ImportedRollout } from '../../../../../src/formats/rollouts/shape/imported.ts';
import { RangeFacts } from '../../../../../src/ui/rollouts/reader/tokens/TokenFacts.tsx';
import { emptyRollout } from '../../../../fixtures/rollouts.ts';
import { htmlOf, wordsIn } from '../../../kit/render.tsx';

/** Two tokens of the policy with numbers, then three that were retrieved and have none. */
const table = tokenTable({
  ...emptyRollout('r'),
  layout: 'forage',
  segments: [
    {
      source: 'policy',
      role: 'search',
      text: 'ab',
      ids: [1, 2],
      mask: 1,
      logprobs: [-0.5, -1.5],
      entropies: [0.25, 0.75],
    },
    { source: 'environment', role: 'result', text: 'cde', ids: [3, 4, 5], mask: 0 },
  ],
} as unknown as ImportedRollout);

const wordsOf = (from: number, to: number): string =>
  wordsIn(htmlOf(<RangeFacts table={table} range={{ from, to }} clear={() => undefined} />));

it('the mean entropy of a range is of the tokens that have one', () => {
  expect(wordsOf(0, 1)).toContain('mean entropy 0.5 ·');
  expect(wordsOf(0, 4)).toContain('sum of log-probabilities −2 · mean entropy 0.5 ·');
});

it('a range without numbers has no sum and no mean', () => {
  expect(wordsOf(2, 4)).toMatch(/sum of log-probabilities – · mean entropy – · sum of updates –/);
});
