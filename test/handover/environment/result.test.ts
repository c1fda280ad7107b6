import { expect, it } from 'vitest';
import { resultOf } from '../../../src/handover/environment/environment.ts';
import { emptyRollout, metrics } from '../../fixtures/rollouts.ts';

it.each([
  [null, 0],
  [0.5, 0.5],
])('a recall of %s is the number %s to a trainer, which averages every key', (recall, told) => {
  const rollout = {
    ...emptyRollout('a'),
    events: [{ kind: 'stop' as const, reason: 'answer' as const, detail: '', t: 1 }],
    reward: 1,
    metrics: metrics({ recall }),
  };
  const result = resultOf(rollout, { decode: () => '' }, { record: false });
  expect(result).toMatchObject({ metrics: { recall: told, acc: 0 } });
});
