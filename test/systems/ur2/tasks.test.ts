import { describe, expect, it } from 'vitest';
import { params, type Params } from '../../../src/systems/ur2/system.ts';
import {
  DifficultyCurriculum,
  poolSizes,
  retrievalAllowed,
  taskOf,
  type Task,
} from '../../../src/systems/ur2/curriculum.ts';
import type { DrawnQuestion, Json } from '../../../src/learn/rl/contracts.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import type { Question } from '../../../src/records/records.ts';

/** UR²'s task mixing (arXiv 2508.06165, section 3.1.2 and 4.1). */

const question = (id: string, task: Task): Question => ({
  id,
  text: id,
  answers: ['1'],
  supporting: [],
  ...(task === 'choice' && { type: 'choice', options: ['1', '2'] }),
  ...(task === 'arithmetic' && { type: 'arithmetic' }),
  ...(task === 'qa' && { type: 'bridge' }),
});

const LEVELS = { hard: 0.3, medium: 0.6, easy: 0.9, dropped: 0.1 } as const;
type Level = keyof typeof LEVELS;
/** Questions named `task level n`. */
const some = (task: Task, levels: readonly Level[], each = 2): Question[] =>
  levels.flatMap((level) =>
    Array.from({ length: each }, (_, i) => question(`${task} ${level} ${i}`, task)),
  );
const scoreOf = ({ id }: Question): number => LEVELS[id.split(' ')[1] as Level];

type Change = Partial<Params>;
/** Stage 1 has one step; stage 2 the rest. */
function curriculumOf(questions: readonly Question[], change: Change = {}): DifficultyCurriculum {
  const base = getTraining('ur2/paper');
  const settings: TrainSettings = {
    ...base,
    stages: [
      { steps: 1, reward: 'ur2-stage-1', weights: {} },
      { steps: 9, reward: 'ur2-stage-2', weights: {} },
    ],
  };
  const curriculum = new DifficultyCurriculum(params.parse(change), {
    settings,
    questions,
    seed: 5,
  });
  curriculum.addScores(curriculum.unscored.questions.map(scoreOf));
  return curriculum;
}

const ALL: readonly Level[] = ['hard', 'medium', 'easy', 'dropped'];
const every = [...some('qa', ALL), ...some('arithmetic', ALL), ...some('choice', ALL)];
const countsOf = (drawn: readonly DrawnQuestion[], of: (one: DrawnQuestion) => string) => {
  const counts: Record<string, number> = {};
  for (const one of drawn) counts[of(one)] = (counts[of(one)] ?? 0) + 1;
  return counts;
};
const taskAndWay = ({ question: asked, label }: DrawnQuestion): string =>
  `${taskOf(asked)} ${label} ${asked.mayRetrieve === false ? 'plain' : 'retrieving'}`;

it('a task is told by options and by the type of a question', () => {
  expect(taskOf({ type: 'choice', options: ['a', 'b'] })).toBe('choice');
  // Its options count, whatever is computed.
  expect(taskOf({ type: 'computation', options: ['65', '66'] })).toBe('choice');
  expect(taskOf({ type: 'computation' })).toBe('arithmetic');
  expect(taskOf({ type: 'arithmetic', options: [] })).toBe('arithmetic');
  expect(taskOf({ type: 'counting' })).toBe('qa');
  expect(taskOf({})).toBe('qa');
});

describe('a pool by shares of tasks', () => {
  it('has them 1 : 1 : 1, as far as there are questions', () => {
    const shares = { qa: 1, arithmetic: 1, choice: 1 };
    const enough = { qa: 50, arithmetic: 50, choice: 50 };
    expect(poolSizes(shares, enough, 9)).toEqual({ qa: 3, arithmetic: 3, choice: 3 });
    const few = { qa: 50, arithmetic: 1, choice: 0 };
    expect(poolSizes(shares, few, 9)).toEqual({ qa: 8, arithmetic: 1, choice: 0 });
    expect(poolSizes(shares, { qa: 2, arithmetic: 1, choice: 0 }, 9)).toEqual({
      qa: 2,
      arithmetic: 1,
      choice: 0,
    });
    expect(poolSizes({ ...shares, qa: 2 }, enough, 8)).toEqual({ qa: 4, arithmetic: 2, choice: 2 });
  });
});

describe('which draws may retrieve', () => {
  const none = { retrieving: 0, plain: 0 };
  it('QA all, arithmetic the hard ones', () => {
    for (const level of ALL) expect(retrievalAllowed('qa', level, none)).toBe(true);
    expect(ALL.map((level) => retrievalAllowed('arithmetic', level, none))).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });
  it('of multiple choice half: hard ones, until they are', () => {
    expect(retrievalAllowed('choice', 'hard', { retrieving: 3, plain: 3 })).toBe(true);
    expect(retrievalAllowed('choice', 'hard', { retrieving: 4, plain: 3 })).toBe(false);
    expect(retrievalAllowed('choice', 'easy', { retrieving: 0, plain: 9 })).toBe(false);
  });
});

describe('the draws of stage 2', () => {
  it('are of each task in turn, 7 : 2 : 1 by difficulty but for mathematics, and choice is 1 : 1 over every ten', async () => {
    const drawn = await curriculumOf(every).draw({ step: 2, count: 30 });
    expect(countsOf(drawn, taskAndWay)).toEqual({
      'qa hard retrieving': 7,
      'qa medium retrieving': 2,
      'qa easy retrieving': 1,
      // 1 : 1 : 1 (C.3).
      'arithmetic hard retrieving': 4,
      'arithmetic medium plain': 3,
      'arithmetic easy plain': 3,
      'choice hard retrieving': 5,
      'choice hard plain': 2,
      'choice medium plain': 2,
      'choice easy plain': 1,
    });
  });

  it('are all retrieving without task mixing', async () => {
    const drawn = await curriculumOf(every, { taskMixing: false }).draw({ step: 2, count: 30 });
    expect(drawn.every(({ question: asked }) => asked.mayRetrieve === undefined)).toBe(true);
  });

  it('take other shares, and leave out a task without questions', async () => {
    const shares = { qa: 3, arithmetic: 1, choice: 0 };
    const drawn = await curriculumOf(every, { tasks: shares }).draw({ step: 2, count: 8 });
    expect(countsOf(drawn, ({ question: asked }) => taskOf(asked))).toEqual({
      qa: 6,
      arithmetic: 2,
    });
    const alone = await curriculumOf(some('qa', ALL)).draw({ step: 2, count: 5 });
    expect(countsOf(alone, ({ question: asked }) => taskOf(asked))).toEqual({ qa: 5 });
  });

  it('leave a permission that the question itself refuses', async () => {
    const forbidden = some('qa', ['hard']).map((one) => ({ ...one, mayRetrieve: false }));
    const [first] = await curriculumOf(forbidden).draw({ step: 2, count: 1 });
    expect(first?.question.mayRetrieve).toBe(false);
  });
});

describe('the draws of stage 1', () => {
  it('are the dropped questions of each task, and all may retrieve', async () => {
    const drawn = await curriculumOf(every).draw({ step: 1, count: 6 });
    expect(countsOf(drawn, taskAndWay)).toEqual({
      'qa dropped retrieving': 2,
      'arithmetic dropped retrieving': 2,
      'choice dropped retrieving': 2,
    });
  });

  it('where a task has none, are of the others; where none has, of what there is', async () => {
    const some1 = [...some('qa', ['hard']), ...some('choice', ['dropped'])];
    const drawn = await curriculumOf(some1).draw({ step: 1, count: 4 });
    expect(countsOf(drawn, taskAndWay)).toEqual({ 'choice dropped retrieving': 4 });
    const rest = await curriculumOf(some('qa', ['easy'])).draw({ step: 1, count: 2 });
    expect(countsOf(rest, taskAndWay)).toEqual({ 'qa easy retrieving': 2 });
  });
});

describe('the state of draws by task', () => {
  it('goes on where it was', async () => {
    const one = curriculumOf(every);
    await one.draw({ step: 1, count: 5 });
    await one.draw({ step: 2, count: 17 });
    const other = curriculumOf(every);
    other.restore(JSON.parse(JSON.stringify(one.state())) as Json);
    expect(other.state()).toEqual(one.state());
    const request = { step: 2, count: 23 };
    expect(await other.draw(request)).toEqual(await one.draw(request));
  });

  it('is none for a curriculum without tasks, nor the other way round', () => {
    const state = curriculumOf(every).state();
    const plain = curriculumOf(every, { tasks: null });
    expect(() => plain.restore(state)).toThrow(/draws by task/);
    expect(() => curriculumOf(every).restore(plain.state())).toThrow(/draws by task/);
  });
});
