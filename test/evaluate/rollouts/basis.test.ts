import { expect, it } from 'vitest';
import { rightBy, signedBy, withBasis } from '../../../src/evaluate/rollouts/basis.ts';
import { basisWords } from '../../../src/evaluate/rollouts/taxonomy.ts';

it('says right by what, and nothing where nothing says right or wrong', () => {
  expect(rightBy(true, 'em')).toBe('right by EM');
  expect(signedBy(false, 'judge')).toBe('✗ wrong by the judge');
  const counts = (judge: number, em: number) =>
    basisWords({ scored: judge + em, judge: null, outcomesBy: { judge, em } });
  expect(withBasis('How they ended', counts(0, 4))).toBe('How they ended, by EM');
  expect(withBasis('How they ended', counts(3, 4))).toBe(
    'How they ended, by the judge in 3, by EM in 4',
  );
  expect(withBasis('How they ended', counts(0, 0))).toBe('How they ended');
});
