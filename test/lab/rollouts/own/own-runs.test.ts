import { expect, test } from 'vitest';
import type { Rollout } from '../../../../src/records/rollout.ts';
import type { TrainStep } from '../../../../src/records/training.ts';
import { getTraining } from '../../../../src/systems/index.ts';
import type { RunRecord } from '../../../../src/lab/contract/records/runs.ts';
import { ownRunsOf } from '../../../../src/lab/rollouts/own-runs.ts';
import { ownLines } from '../../../formats/rollouts/helpers.ts';

const run = (id: string, step: number, deletedAt: string | null): RunRecord =>
  ({
    id,
    name: `run of ${id}`,
    step,
    deletedAt,
    updatedAt: 't',
    settings: getTraining('kunlun-baize/dapo'),
  }) as RunRecord;

const { objective } = getTraining('kunlun-baize/dapo');
const training = { preset: 'kunlun-baize/dapo', objective };

const rollouts = ownLines().map((line) => JSON.parse(line) as Rollout);

const source = ownRunsOf({
  runs: () => Promise.resolve([run('a', 3, null), run('b', 0, null), run('c', 2, 'yesterday')]),
  steps: () => Promise.resolve([1, 2, 3].map((step) => ({ step }) as TrainStep)),
  // The rollouts of step 2 were deleted to free storage.
  rollouts: (_, step) => Promise.resolve(step === 2 ? [] : rollouts.slice(step, step + 2)),
});

const signal = new AbortController().signal;

test('runs that did a step and are not deleted can be opened', async () => {
  expect(await source.runs()).toEqual([
    { id: 'a', name: 'run of a', step: 3, updatedAt: 't', loss: training },
  ]);
});

test('their rollouts are lines in the order of the steps, with the settings of the run', async () => {
  const text = await (await source.lines('a', signal)).text();
  expect(
    text
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line)),
  ).toEqual([1, 2, 3, 4].map((at) => ({ ...rollouts[at], training })));
});

test('reading them can be stopped', async () => {
  await expect(source.lines('a', AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
});
