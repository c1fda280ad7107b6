import { describe, expect, it } from 'vitest';
import { warmStartQuestions } from '../../../src/learn/rl/warm-start.ts';
import { asTrajectory } from '../../../src/learn/rl/warm-start.ts';
import { usableDemonstrations } from '../../../src/learn/rl/warm-up-data.ts';
import { QUESTION, run } from '../../agent/helpers.ts';
import { idsOf } from '../../agent/scripted-policy.ts';
import type { Question } from '../../../src/records/records.ts';

/** The trajectories that a policy is made not to search with. */

const forbidden = { ...QUESTION, mayRetrieve: false };
const NO_FRAME = { before: [], after: [] };
const expected = (thought: string, answer: string): number[] =>
  idsOf(`<think> ${thought}</think><short_answer> \\boxed{ ${answer} }</short_answer>`);
const question = idsOf(`<question> ${QUESTION.text}</question>`);

describe('a guess as a trajectory', () => {
  it('of a policy that answered: prompt without a hint, then what it wrote', async () => {
    const main = [
      '<think> it is Borfield .</think><short_answer> \\boxed{ Borfield }</short_answer>',
    ];
    const { rollout } = await run({ main }, { question: forbidden });
    // It was told by a hint that it cannot search.
    expect(rollout.segments.map(({ role }) => role)).toContain('hint');
    const made = asTrajectory(rollout, NO_FRAME);
    expect(made?.segments.flatMap(({ ids }) => ids)).toEqual([
      ...question,
      ...expected('it is Borfield .', 'Borfield'),
    ]);
    const [item] = usableDemonstrations(made ? [made] : [], { onlyCorrect: false, maxTokens: 512 });
    const own = [...(item?.mask ?? [])];
    expect(own).toEqual([
      ...question.map(() => 0),
      ...expected('it is Borfield .', 'Borfield').map(() => 1),
    ]);
  });

  it('of a policy that searched: its first thought and its answer, the search left out', async () => {
    const main = [
      '<think> plan .</think><search> author of Old Wolf</search>',
      ' Gilridge }</short_answer>',
    ];
    const { rollout } = await run({ main }, { question: forbidden });
    const made = asTrajectory(rollout, NO_FRAME);
    expect(made?.segments.flatMap(({ ids }) => ids)).toEqual([
      ...question,
      ...expected('plan .', 'Gilridge'),
    ]);
    // All of the answer is the policy's to write, though the environment opened it here.
    const written = made?.segments.filter(({ source }) => source === 'policy') ?? [];
    expect(written.every(({ mask }) => mask === 1)).toBe(true);
  });

  it('stands in the frame of a run that may search', async () => {
    const main = ['<think> t</think><short_answer> \\boxed{ Borfield }</short_answer>'];
    const { rollout } = await run({ main }, { question: forbidden });
    const made = asTrajectory(rollout, { before: [7, 8], after: [9] });
    expect(made?.segments.slice(0, 3).map(({ source, ids }) => [source, ids])).toEqual([
      ['prompt', [7, 8]],
      ['prompt', question],
      ['prompt', [9]],
    ]);
  });

  it('is none where the protocol was broken otherwise: that is not to be learned', async () => {
    const main = ['<think> t</think> prose <short_answer> \\boxed{ Borfield }</short_answer>'];
    const { rollout } = await run({ main }, { question: forbidden });
    expect(rollout.answer).toBe('Borfield');
    expect(asTrajectory(rollout, NO_FRAME)).toBeNull();
  });

  it('is none where nothing was answered', async () => {
    const { rollout } = await run({ main: ['<think> t</think>'] }, { question: forbidden });
    expect(rollout.answer).toBeNull();
    expect(asTrajectory(rollout, NO_FRAME)).toBeNull();
  });
});

it('questions of the start are some of those for training, the same for the same seed', () => {
  const all = Array.from({ length: 100 }, (_, i): Question => ({ ...QUESTION, id: `q${i}` }));
  const drawn = warmStartQuestions(all, { seed: 3, start: 'not-searching' });
  expect(drawn).toHaveLength(64);
  expect(new Set(drawn.map(({ id }) => id)).size).toBe(64);
  expect(warmStartQuestions(all, { seed: 3, start: 'not-searching' })).toEqual(drawn);
  expect(warmStartQuestions(all, { seed: 4, start: 'not-searching' })).not.toEqual(drawn);
  expect(warmStartQuestions(all.slice(0, 5), { seed: 3, start: 'not-searching' })).toHaveLength(5);
  expect(warmStartQuestions([], { seed: 3, start: 'not-searching' })).toEqual([]);
});
