import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import { readTrajectories } from '../../../src/formats/trajectories/read.ts';
import { trajectoryRecords } from '../../../src/formats/trajectories/write.ts';
import { countOwn } from '../../../src/learn/trajectories/count-own.ts';
import { ownTrajectories } from '../../../src/learn/run/assemble.ts';
import { getTraining, TRAININGS } from '../../../src/systems/index.ts';
import { isStored } from '../../../src/recipes/parts/stage-loss.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { QUESTION, retrieverOver } from '../../agent/helpers.ts';
import { LOOP } from '../../agent/loop-script.ts';
import { ScriptedPolicy } from '../../agent/scripted-policy.ts';

const other = { ...QUESTION, id: 'q2', text: 'Where is nothing?', answers: ['Mondria'] };
/** Of nobody's training: right rollouts are taken. */
const plain = (): TrainSettings => ({
  ...getTraining('search/grpo'),
  stages: [{ steps: 1, reward: 'em', weights: {}, loss: { kind: 'stored-sft', batch: 2 } }],
});

const sample = async (settings: TrainSettings, main: readonly string[] = LOOP) => {
  const ended: Rollout[] = [];
  const told: [number, number][] = [];
  const set = await ownTrajectories(settings, [QUESTION, other], {
    agent: {
      policy: new ScriptedPolicy({ main }),
      retriever: retrieverOver(),
      router: createRouter(),
      now: Date.now,
    },
    runId: 'run',
    onRollout: (done, total) => void told.push([done, total]),
    onEnded: (rollout) => void ended.push(rollout),
  });
  return { set, ended, told };
};

describe('trajectories of the run’s own', () => {
  it('are its right rollouts, four a question, as a file of them would be', async () => {
    const { set, ended, told } = await sample(plain());
    expect(ended).toHaveLength(8);
    expect(told.at(0)).toEqual([0, 8]);
    expect(told.at(-1)).toEqual([8, 8]);
    const right = ended.filter(({ metrics }) => metrics?.em === 1);
    expect(right.length).toBeGreaterThan(0);
    expect(set.trajectories.map(({ id }) => id).toSorted()).toEqual(
      right.map(({ id }) => id).toSorted(),
    );
    const text = trajectoryRecords(set)
      .map((record) => JSON.stringify(record))
      .join('\n');
    expect(readTrajectories(text)).toEqual(set);
  });

  it('say what to do where none is right', async () => {
    await expect(
      sample(
        plain(),
        LOOP.map((text) => text.replace('Borfield }', 'Ada }')),
      ),
    ).rejects.toThrow(
      /^own trajectories: none of 8 rollouts can be used.*Give a file of trajectories/,
    );
  });
});

it('are half as many rollouts as the steps take trajectories, within bounds', () => {
  const of = (steps: number, id = 'agent-distillation/distil') =>
    countOwn({ ...getTraining(id), steps }, Infinity);
  expect(getTraining('agent-distillation/distil').stages[0]?.loss).toMatchObject({ batch: 8 });
  // 200 steps of 8.
  expect(of(200)).toEqual({ questions: 200, rollouts: 800 });
  expect(of(1)).toEqual({ questions: 16, rollouts: 64 });
  expect(of(1000)).toEqual({ questions: 300, rollouts: 1200 });
  // Select2Reason keeps a tenth of the questions, START asks each once more without its hint.
  expect(of(8, 'select2reason/sft')).toEqual({ questions: 160, rollouts: 640 });
  expect(of(1, 'start/hint-rft')).toEqual({ questions: 16, rollouts: 128 });
  expect(countOwn(getTraining('search/grpo'), Infinity)).toEqual({ questions: 0, rollouts: 0 });
});

it('every training can begin by a press: those of stored trajectories say what they choose', () => {
  const stored = TRAININGS.filter(({ variant }) =>
    variant.settings.stages.some(({ loss }) => isStored(loss)),
  );
  expect(stored.map(({ id }) => id).toSorted()).toEqual([
    'agent-distillation/distil',
    'dto/dpo',
    'select2reason/sft',
    'start/hint-rft',
    'start/hint-rft-results',
  ]);
  for (const { id } of TRAININGS) {
    const { warmUp } = getTraining(id);
    expect(warmUp === undefined || warmUp === null || Boolean(warmUp.own), id).toBe(true);
  }
});
