import { describe, expect, it } from 'vitest';
import { getTraining } from '../../../../src/systems/index.ts';
import { beforeSteps, sideName } from '../../../../src/ui/train/beside/RunBeside.tsx';

describe('the name of a score of a run', () => {
  it('says that a warm-up came before the first step', () => {
    const whole = getTraining('kunlun-baize/whole');
    expect(sideName(0, whole)).toBe('after the cold start, before the first step');
    expect(sideName(4, whole)).toBe('step 4');
  });

  it('says that it is untrained only where nothing came before', () => {
    const plain = getTraining('search/grpo');
    expect([sideName(0, plain), beforeSteps(plain)]).toEqual(['untrained, no step yet', null]);
    const { warmUp } = getTraining('kunlun-baize/whole');
    expect(sideName(0, { start: 'not-searching', warmUp: null })).toBe(
      'after its start, before the first step',
    );
    expect(sideName(0, { start: 'not-searching', warmUp })).toBe(
      'after its start and the cold start, before the first step',
    );
  });
});
