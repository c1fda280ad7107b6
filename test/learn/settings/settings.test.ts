import { describe, expect, it } from 'vitest';
import { checkedSettingsSchema } from '../../../src/learn/settings/edit-settings.ts';
import { withChanges } from '../../../src/learn/settings/edit-settings.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { UniformCurriculum } from '../../../src/learn/rl/uniform.ts';
import { stageAt } from '../../../src/learn/schedule.ts';
import type { Question } from '../../../src/records/records.ts';

const question = (i: number): Question => ({
  id: `q${i}`,
  text: '?',
  answers: ['a'],
  supporting: [],
});

describe('changes', () => {
  const base = getTraining('ur2/paper');
  it('reach any depth', () => {
    const changed = withChanges(base, [
      'optimizer.learningRate=2e-3',
      'stages.0.reward=em',
      'objective.clip={"low":0.1,"high":0.1}',
      'overrides.retrieval.k=1',
      'stages.1.weights.answer=2',
    ]);
    expect(changed.optimizer.learningRate).toBe(2e-3);
    expect(changed.stages[0]!.reward).toBe('em');
    expect(changed.objective.clip).toEqual({ low: 0.1, high: 0.1 });
    expect(changed.overrides).toEqual({ retrieval: { k: 1 } });
    expect(changed.stages[1]!.weights).toEqual({ answer: 2 });
    expect(base.optimizer.learningRate).not.toBe(2e-3);
  });

  it.each([
    ['optimizer.lr=1', /no setting 'optimizer\.lr'/],
    ['seed', /'seed' is not a change/],
    ['steps=-1', /steps: /],
    ['optimizer.learningRate=fast', /optimizer\.learningRate: /],
    ['overrides.retrieval.k=-1', /retrieval\.k/],
    ['objective.estimator=ppo', /objective\.estimator: /],
  ])('%s is refused by name', (change, message) => {
    expect(() => withChanges(base, [change])).toThrow(message);
  });
});

describe('stages', () => {
  it('each takes its steps, the last what is left', () => {
    const { stages } = getTraining('ur2/paper');
    expect([1, 10, 11, 100, 500].map((step) => stageAt(stages, step))).toEqual([0, 0, 1, 1, 1]);
  });
});

describe('the uniform curriculum', () => {
  const questions = Array.from({ length: 5 }, (_, i) => question(i));
  const ids = async (c: UniformCurriculum, count: number): Promise<string[]> =>
    (await c.draw({ step: 1, batch: 0, count })).map((d) => d.question.id);

  it('draws every question once an epoch, in an order of its own', async () => {
    const c = new UniformCurriculum(questions, 3);
    const [first, second] = [await ids(c, 5), await ids(c, 5)];
    expect(first.toSorted()).toEqual(['q0', 'q1', 'q2', 'q3', 'q4']);
    expect(second.toSorted()).toEqual(first.toSorted());
    expect(second).not.toEqual(first);
  });

  it('goes on from its state in the middle of an epoch', async () => {
    const c = new UniformCurriculum(questions, 3);
    await ids(c, 7);
    const other = new UniformCurriculum(questions, 3);
    other.restore(c.state());
    expect(await ids(other, 6)).toEqual(await ids(c, 6));
  });
});

describe('settings out of their range', () => {
  const base = getTraining('search/grpo');
  it.each([
    ['temperature', { temperature: 0 }],
    ['temperature', { temperature: 4.5 }],
    ['steps', { steps: -1 }],
    ['groupSize', { groupSize: 65 }],
    ['questions', { questions: 257 }],
    ['updates', { updates: 17 }],
    ['stages', { stages: [] }],
    ['seed', { seed: -1 }],
    ['optimizer.clipNorm', { optimizer: { ...base.optimizer, clipNorm: -1 } }],
    ['optimizer.warmUpSteps', { optimizer: { ...base.optimizer, warmUpSteps: -1 } }],
    ['heldOut.questions', { heldOut: { ...base.heldOut, questions: 1001 } }],
    ['curriculum.system.noise', { curriculum: { system: { id: 'kunlun-baize', noise: 2 } } }],
  ])('%s is refused by its name: %j', (name, change) => {
    expect(() => checkedSettingsSchema.parse({ ...base, ...change })).toThrow(
      name.split('.').at(-1),
    );
  });

  it.each([
    { temperature: 4 },
    { groupSize: 64 },
    { questions: 256 },
    { updates: 16 },
    { steps: 1 },
    { seed: 0 },
    { heldOut: { ...base.heldOut, questions: 1000, temperature: 0 } },
  ])('at its end is taken: %j', (change) => {
    expect(checkedSettingsSchema.parse({ ...base, ...change })).toMatchObject(change);
  });
});

it('questions in turn are refused where there are none', () => {
  expect(() => new UniformCurriculum([], 1)).toThrow('curriculum: there are no questions');
});
