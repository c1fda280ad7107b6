import { expect, it } from 'vitest';
import { rewardFormula } from '../../../src/learn/rewards/formulas.ts';

it('a reward is written with the λ of the stage and the number of its equation', () => {
  expect(rewardFormula('kunlun-short')).toEqual({
    formula: 'R = 0.1 · R_fmt + 0.1 · R_len + 0.8 · R_acc',
    source: 'KunLunBaizeRAG, arXiv 2506.19466, equation 17',
  });
  expect(rewardFormula('kunlun-short', { format: 0.2, length: 0, accuracy: 0.8 })?.formula).toBe(
    'R = 0.2 · R_fmt + 0 · R_len + 0.8 · R_acc',
  );
  // UR² (2508.06165), equation 5.
  expect(rewardFormula('ur2-stage-2')).toEqual({
    formula: 'R = 2 · EM + R_fmt − 0.5 per fallback',
    source: 'UR², arXiv 2508.06165, equation 5',
  });
  expect(rewardFormula('no-such-reward')).toBeNull();
});
