import { expect, it } from 'vitest';
import { executeEvaluation } from '../../../src/evaluate/systems/plan/execute.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { open, planOf, QUESTIONS, SPEC } from './small-evaluation.ts';

/** Whether an adapter was at work: by it a record is continued wherever it is read. */

it.each([null, 'run-a-step-2'])(
  'a rollout of an evaluation says itself which adapter wrote it: %s',
  async (adapter) => {
    const plan = await planOf(
      { ...SPEC, systems: ['naive-rag'], seeds: [1] },
      {
        questions: QUESTIONS.slice(0, 1),
      },
    );
    const kept: Rollout[] = [];
    await executeEvaluation(plan, {
      known: () => null,
      open: async () => ({ ...(await open()), adapter }),
      keep: (_, rollout) => void kept.push(rollout),
      failed: (_, message) => {
        throw new Error(message);
      },
    });
    expect(kept.map(({ policy }) => policy.adapter)).toEqual([adapter]);
  },
);
