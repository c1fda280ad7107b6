import { describe, expect, it } from 'vitest';
import {
  categoryOf,
  HistoryCurriculum,
  isWeakness,
  mostSpread,
  spread,
  weaknessBudget,
  weaknessQuestions,
} from '../../../src/systems/question-history/curriculum.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { Question } from '../../../src/records/records.ts';
import { fillAdvantages, sequencesOf, updateBatches } from '../../../src/learn/rl/batch.ts';
import { emptyRollout, policySegment, readSegment } from '../../fixtures/rollouts.ts';
import { made } from '../../learn/rewards/records.ts';

const question = (id: string, more: Partial<Question> = {}): Question => ({
  id,
  text: id,
  answers: ['Borfield'],
  supporting: [],
  ...more,
});

describe('One-Shot RLVR', () => {
  it('ranks by how accuracy spreads over epochs', () => {
    expect(spread([0, 0.25, 0.5, 1])).toBeCloseTo(0.37, 3);
    expect(spread([0.5, 0.5, 0.5, 0.5])).toBe(0);
    const pool = [question('flat'), question('spread'), question('new')];
    const history = { flat: [0.5, 0.5, 0.5, 0.5], spread: [0, 0.25, 0.5, 1] };
    expect(mostSpread(pool, history, 1).map(({ id }) => id)).toEqual(['spread']);
  });
});

describe('SwS', () => {
  it('calls a question weak that was never mastered and does not improve', () => {
    expect(isWeakness([0.5, 0.25, 0.125, 0.125])).toBe(true);
    expect(isWeakness([0, 0.25, 0.5, 0.75])).toBe(false);
    expect(isWeakness([])).toBe(false);
  });
  it('spreads its budget over categories by their share of failures', () => {
    const ratios = [0.151, 0.143, 0.111, 0.078, 0.075, 0.059, 0.037];
    expect(weaknessBudget(ratios, 2000)).toEqual([461, 437, 339, 238, 229, 180, 113]);
  });
  it('takes further questions of weak categories alone', () => {
    const film = {
      type: 'bridge',
      hops: 2,
      composition: 'film.director>person.birthCity',
    } as const;
    const book = { type: 'bridge', hops: 2, composition: 'book.author>person.spouse' } as const;
    const pool = [question('weak', film), question('good', book)];
    const fresh = [question('f', film), question('b', book), question('g', film)];
    const more = weaknessQuestions(pool, fresh, { weak: [0.1], good: [1] }, 2);
    expect(more.map(({ id }) => id)).toEqual(['f', 'g']);
    expect(categoryOf(fresh[0]!)).not.toBe(categoryOf(fresh[1]!));
  });
});

describe('a curriculum that looks first', () => {
  const all = ['a', 'b', 'c', 'd'].map((id) => question(id));
  const settings = { pool: 3, probeSteps: 2 };
  const oneShot = (change = {}) =>
    new HistoryCurriculum('one-shot', { ...settings, ...change }, { questions: all, seed: 5 });
  const group = (id: string, right: boolean) =>
    [made({ answer: right ? 'Borfield' : 'Ulmfield' })].map((rollout) => ({
      ...rollout,
      question: { ...rollout.question, id },
      metrics: {
        em: Number(right),
        f1: 0,
        cover_em: 0,
        recall: 0,
        searches: 0,
        tokens: 0,
        seconds: 0,
        formatValid: true,
      },
    }));
  const ids = async (of: HistoryCurriculum, step: number): Promise<string[]> =>
    (await of.draw({ step, count: 3 })).map(({ question: { id } }) => id);

  it('fills every batch with the question whose accuracy spread most, and resumes alike', async () => {
    const one = oneShot();
    const pool = await ids(one, 1);
    const [chosen = ''] = pool;
    one.observe(pool.map((id) => group(id, id === chosen)));
    await ids(one, 2);
    one.observe(pool.map((id) => group(id, false)));
    const stored = JSON.parse(JSON.stringify(one.state())) as ReturnType<typeof one.state>;
    expect(await ids(one, 3)).toEqual([chosen, chosen, chosen]);
    const other = oneShot();
    other.restore(stored);
    expect(await ids(other, 3)).toEqual([chosen, chosen, chosen]);
    expect(other.state()).toEqual(one.state());
  });
  it('of One-Shot RLVR makes 1,024 rollouts of one question a step, and 8 updates of 128', async () => {
    const one = oneShot({ ids: ['d'] });
    const drawn = await one.draw({ step: 1, count: 128 });
    expect(new Set(drawn.map(({ question: { id } }) => id))).toEqual(new Set(['d']));
    const rollout = {
      ...emptyRollout('a'),
      segments: [readSegment([1], 'question'), policySegment([2, 3])],
    };
    const sequences = sequencesOf(
      drawn.map(() => Array.from({ length: 8 }, (_, i) => ({ ...rollout, reward: i % 2 }))),
    );
    const { objective } = getTraining('search/grpo');
    const advantages = await fillAdvantages(sequences, 'grpo');
    const batches = updateBatches(sequences, advantages, null, { objective, updates: 8 });
    expect(sequences).toHaveLength(1024);
    expect(batches.map(({ length }) => length)).toEqual([128, 128, 128, 128, 128, 128, 128, 128]);
  });
  it('of SwS adds questions of what was weak, or as many at random', async () => {
    const film = {
      type: 'bridge',
      hops: 2,
      composition: 'film.director>person.birthCity',
    } as const;
    const book = { type: 'bridge', hops: 2, composition: 'book.author>person.spouse' } as const;
    const many = Array.from({ length: 60 }, (_, i) => question(`${i}`, i % 3 === 0 ? film : book));
    const added = async (change: object): Promise<Question[]> => {
      const of = new HistoryCurriculum(
        'weakness',
        { pool: 6, probeSteps: 2, ...change },
        { questions: many, seed: 5 },
      );
      const pool = (await of.draw({ step: 1, count: 6 })).map((one) => one.question);
      // Films are never answered, books always.
      of.observe(pool.map((one) => group(one.id, categoryOf(one) !== categoryOf(many[0]!))));
      const later = (await of.draw({ step: 3, count: 12 })).map((one) => one.question);
      return later.filter(({ id }) => pool.every((one) => one.id !== id));
    };
    const weak = await added({});
    const random = await added({ added: 'random' });
    expect(weak.length).toBeGreaterThan(2);
    expect(random).toHaveLength(weak.length);
    const films = (all: Question[]) =>
      all.filter((one) => categoryOf(one) === categoryOf(many[0]!)).length;
    expect(films(weak)).toBe(weak.length);
    expect(films(random)).toBeLessThan(weak.length);
  });
  it('trains on the questions that are named from the first step', async () => {
    expect(await ids(oneShot({ ids: ['d'] }), 1)).toEqual(['d', 'd', 'd']);
    expect(() => oneShot({ ids: ['z'] })).toThrow(/question "z" is not a training question/);
  });
});
