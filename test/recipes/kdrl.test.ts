import { describe, expect, it } from 'vitest';
import { klRuleOf } from '../../src/learn/objective.ts';
import { parseTrainSettings, withChanges } from '../../src/learn/settings/edit-settings.ts';
import { untrainable } from '../../src/learn/rl/trainable.ts';
import { sequencesOf, updateBatches } from '../../src/learn/rl/batch.ts';
import { withCoefficient } from '../../src/learn/rl/update.ts';
import { getSwitch } from '../../src/recipes/switches/list.ts';
import { withSwitches } from '../../src/recipes/switches/put.ts';
import { getTraining } from '../../src/systems/index.ts';
import { emptyRollout, policySegment, readSegment } from '../fixtures/rollouts.ts';

const ON = withSwitches(getTraining('search/grpo'), [getSwitch('kdrl')]);

describe('KDRL', () => {
  it('lets the coefficient fall in a line: 0.1, 0.055 and 0.01 of three steps', () => {
    const at = (step: number): number =>
      withCoefficient({ ...ON, steps: 3 }, step, undefined).objective.kl.coefficient;
    expect([1, 2, 3].map(at)).toEqual([0.1, expect.closeTo(0.055), expect.closeTo(0.01)]);
    expect(withCoefficient({ ...ON, steps: 1 }, 1, undefined).objective.kl.coefficient).toBe(0.1);
  });

  /** Two groups, right and wrong and wrong and wrong: whether each rollout is pulled to the teacher. */
  const pulled = (of: string): boolean[] => {
    const one = (id: string, em: number) => ({
      ...emptyRollout(id),
      segments: [readSegment([50], 'question'), policySegment([1, 2])],
      reward: em,
      metrics: { ...emptyRollout(id).metrics, em } as never,
    });
    const sequences = sequencesOf([
      [one('a', 1), one('b', 0)],
      [one('c', 0), one('d', 0)],
    ]);
    const references = sequences.map(() => Float32Array.of(-3, -4));
    const settings = withChanges(ON, [`objective.kl.system.of=${of}`, 'updates=1']);
    const [batch] = updateBatches(sequences, [1, -1, 0, 0], references, settings);
    return (batch ?? []).map(({ refLogprobs }) => refLogprobs !== null);
  };

  it('pulls all rollouts, the wrong ones, or those of groups in which none is right', () => {
    expect(pulled('all')).toEqual([true, true, true, true]);
    expect(pulled('wrong')).toEqual([false, true, true, true]);
    expect(pulled('failed-groups')).toEqual([false, false, true, true]);
  });

  it('of a system that is not loaded is an error, not the same KL for all', () => {
    expect(() => klRuleOf({ system: { id: 'nobody' } })).toThrow('KL rule of nobody is missing');
  });

  it('is refused where there is no KL in the loss, and by the name of what it does not know', () => {
    const refusal = (change: string) =>
      untrainable(parseTrainSettings(withChanges(ON, [change])))?.message;
    expect(refusal('objective.kl.place=off')).toContain('Set objective.kl.place to loss');
    expect(() => withChanges(ON, ['objective.kl.system.of=some'])).toThrow(
      'objective.kl.system.of',
    );
  });
});
