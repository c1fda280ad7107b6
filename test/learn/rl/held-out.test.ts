import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import { scoreHeldOut } from '../../../src/learn/rl/held-out.ts';
import type { Question } from '../../../src/records/records.ts';
import { retrieverOver } from '../../agent/helpers.ts';
import { ScriptedPolicy } from '../../agent/scripted-policy.ts';
import { settingsOf } from './scripted-run.ts';

const answer = '<think> t</think><short_answer> \\boxed{ Borfield }</short_answer>';
const questions = Array.from({ length: 66 }, (_, i): Question => ({
  id: `q${i}`,
  text: 'Where?',
  answers: [i % 3 === 0 ? 'Oslo' : 'Borfield'],
  supporting: [],
}));

function scoring(signal?: AbortSignal) {
  const { info, tokenizer } = new ScriptedPolicy({ main: [] });
  const seeds: number[] = [];
  const done: [number, number][] = [];
  const score = scoreHeldOut(
    settingsOf(),
    {
      policy: {
        info,
        tokenizer,
        open: (seed: number) => {
          seeds.push(seed);
          return new ScriptedPolicy({ main: [answer] }).open();
        },
        dispose: () => undefined,
      },
      retriever: retrieverOver(),
      router: createRouter(),
      now: () => 0,
    },
    questions,
    { runId: 'run', step: 3, signal },
    (now, total) => done.push([now, total]),
  );
  return { score, seeds, done };
}

describe('the score of held-out questions', () => {
  it('is of one rollout each, 64 at a time', async () => {
    const { score, done, seeds } = scoring();
    // Every third is wrong.
    expect(await score).toMatchObject({ n: 66, em: 44 / 66, searches: 0, formatValid: 1 });
    expect(done).toEqual([
      [64, 66],
      [66, 66],
    ]);
    // What each question got, in the order of the sample.
    const { questions: got } = await score;
    expect(got?.map(({ id, em }) => [id, em]).slice(0, 3)).toEqual([
      ['q0', 0],
      ['q1', 1],
      ['q2', 1],
    ]);
    expect(got?.[0]).toMatchObject({ text: 'Where?', gold: 'Oslo', answer: 'Borfield' });
    // Each has a seed of its own, the same in every run.
    expect(new Set(seeds).size).toBe(66);
    const again = scoring();
    await again.score;
    expect(again.seeds).toEqual(seeds);
  });

  it('ends with the signal', async () => {
    const { score, done } = scoring(AbortSignal.abort());
    await expect(score).rejects.toThrow();
    expect(done).toEqual([]);
  });
});
