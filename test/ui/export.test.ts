import { expect, it } from 'vitest';
import { toJsonLines } from '../../src/ui/ask/store/export.ts';
import { emptyRollout, hit, passage, policySegment, retrieve } from '../fixtures/rollouts.ts';

it('writes one rollout a line and loses nothing, line ends in texts included', () => {
  const rollouts = [
    { ...emptyRollout('a'), segments: [policySegment([1, 2])] },
    { ...emptyRollout('b'), events: [retrieve([hit(passage('p', 'T', 'one\ntwo\u2028three'))])] },
  ];
  const lines = toJsonLines(rollouts).split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[2]).toBe('');
  expect(lines.slice(0, 2).map((line) => JSON.parse(line) as unknown)).toEqual(rollouts);
});
