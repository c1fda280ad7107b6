import { expect, it } from 'vitest';
import { policiesOf } from '../../../../src/ui/ask/store/asked-policy.ts';
import { formatAddress, parseAddress } from '../../../../src/ui/ask/store/permalink.ts';
import { writerOf } from '../../../../src/ui/ask/siblings/writer.ts';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';

const ALONE = { kind: 'base', policy: BUILT_IN_SETUP.policy } as const;

it.each([
  ['policy=run-1%4010', { policy: { kind: 'run', run: 'run-1', step: 10 }, beside: null }],
  [
    'policy=a%40b%40newest&beside=alone',
    { policy: { kind: 'run', run: 'a@b', step: null }, beside: 'alone' },
  ],
  [
    'beside=checkpoint%3Aqwen',
    { policy: null, beside: { kind: 'base', policy: { kind: 'checkpoint', id: 'qwen' } } },
  ],
])('an address keeps whose text is sampled: %s', (query, sides) => {
  const { address, problems } = parseAddress(`?q=test-2&${query}`);
  expect([address.sides, problems]).toEqual([sides, []]);
  expect(formatAddress(address)).toContain(query);
});

it('reports an invalid policy in an address, and asks only the policy', () => {
  const { address, problems } = parseAddress('?q=test-2&policy=%40&beside=run@x');
  expect(address.sides).toBeUndefined();
  expect(problems).toEqual(['policy=@', 'beside=run@x']);
});

it('puts the compared policy first', () => {
  const run = { kind: 'run', run: 'r', step: null } as const;
  expect(policiesOf(null, BUILT_IN_SETUP)).toBeUndefined();
  expect(policiesOf({ policy: run, beside: null }, BUILT_IN_SETUP)).toEqual([run]);
  expect(policiesOf({ policy: run, beside: 'alone' }, BUILT_IN_SETUP)).toEqual([ALONE, run]);
  expect(policiesOf({ policy: null, beside: run }, BUILT_IN_SETUP)).toEqual([run, ALONE]);
});

it('continues a fork of a training rollout with the adapter that wrote it, or names another one', () => {
  const source = { runId: 'r', name: 'r', group: 'g', setup: BUILT_IN_SETUP };
  const at = (step: number, steps: number[], group = 'g') =>
    writerOf(
      { id: 'x', groupId: group },
      { request: null, source: { ...source, step, group }, forks: {} },
      [{ id: 'r', name: 'r', recipe: 'search', overrides: {}, steps }],
    );
  // Step 9 sampled with what step 8 left behind.
  expect(at(9, [10, 8])).toEqual({ policy: { kind: 'run', run: 'r', step: 8 }, note: null });
  expect(at(1, [10, 8])).toEqual({ policy: ALONE, note: null });
  expect(at(4, [10, 8])).toMatchObject({
    policy: { step: 8 },
    note: expect.stringContaining('step 3'),
  });
  expect(at(4, [])).toMatchObject({ policy: ALONE, note: expect.stringContaining('without one') });
  // A held-out score of step 8 is of the adapter of step 8.
  expect(at(8, [10, 8], 'r-held-out-8-0')).toMatchObject({ policy: { step: 8 }, note: null });
});
