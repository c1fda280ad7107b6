import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import { DifficultyCurriculum } from '../../../src/systems/ur2/curriculum.ts';
import { params, type Params } from '../../../src/systems/ur2/system.ts';
import type { CurriculumContext, DrawnQuestion, Json } from '../../../src/learn/rl/contracts.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import type { Question } from '../../../src/records/records.ts';
import type { PolicySession } from '../../../src/policy/policy.ts';
import { idsOf, ScriptedPolicy, ScriptedSession } from '../../agent/scripted-policy.ts';
import { retrieverOver } from '../../agent/helpers.ts';
import { tokenizer } from '../../agent/tokenizer.ts';

const NAMES = ['Belric', 'Cordine', 'Markas', 'Estdine', 'Vosmark', 'Dalsin'];
const questions: Question[] = NAMES.map((name) => ({
  id: name,
  text: `In which city was ${name} born?`,
  answers: ['Borfield'],
  supporting: [name],
}));
/** Right answers in 20 rollouts, at and around the bounds of the levels. */
const RIGHT: Record<string, number> = {
  Belric: 20,
  Cordine: 16,
  Markas: 10,
  Estdine: 9,
  Vosmark: 4,
  Dalsin: 3,
};
const LEVELS = {
  Belric: 'easy',
  Cordine: 'easy',
  Markas: 'medium',
  Estdine: 'hard',
  Vosmark: 'hard',
  Dalsin: 'dropped',
};

/** Answers each question right as often as `RIGHT` says, then wrong. */
class KnowingPolicy extends ScriptedPolicy {
  readonly asked: Record<string, number> = {};
  constructor() {
    super({ main: [] });
  }
  override open(): Promise<PolicySession> {
    const session: ScriptedSession = new ScriptedSession(
      () => ({ ids: this.#answer(session), logprob: -0.5 }),
      this,
    );
    return Promise.resolve(session);
  }
  #answer(session: ScriptedSession): number[] {
    const text = tokenizer.decode(session.ids);
    const name = NAMES.find((one) => text.includes(one)) ?? '';
    const before = this.asked[name] ?? 0;
    this.asked[name] = before + 1;
    const answer = before < RIGHT[name]! ? 'Borfield' : 'Gilridge';
    return idsOf(`<think> done .</think><short_answer> \\boxed{ ${answer} }</short_answer>`);
  }
}

type Change = Partial<Params>;
const settings = getTraining('ur2/paper');
const make = (change: Change = {}, of: TrainSettings = settings): DifficultyCurriculum =>
  new DifficultyCurriculum(params.parse({ tasks: null, taskMixing: false, ...change }), {
    settings: of,
    questions,
    seed: 5,
  });

interface Prepared {
  policy: KnowingPolicy;
  context: CurriculumContext;
  saved: Json[];
  progress: [number, number][];
}

function preparation(
  curriculum: DifficultyCurriculum,
  stop: () => boolean = () => false,
): Prepared {
  const policy = new KnowingPolicy();
  const saved: Json[] = [];
  const progress: [number, number][] = [];
  const context: CurriculumContext = {
    agent: { policy, retriever: retrieverOver(), router: createRouter(), now: Date.now },
    runId: 'run',
    shouldStop: stop,
    onProgress: (done, total) => void progress.push([done, total]),
    save: () => Promise.resolve(void saved.push(structuredClone(curriculum.state()))),
  };
  return { policy, context, saved, progress };
}

async function scored(change: Change = {}): Promise<DifficultyCurriculum> {
  const curriculum = make(change);
  await curriculum.prepare(preparation(curriculum).context);
  return curriculum;
}

const labelsOf = (drawn: readonly DrawnQuestion[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { label } of drawn) counts[label] = (counts[label] ?? 0) + 1;
  return counts;
};
/** Stage 1 of `ur2` ends with step 10. */
const STAGE_2 = { step: 11, batch: 0 };
const STAGE_1 = { step: 10, batch: 0 };

describe('scoring', () => {
  it('asks every question of the pool as often as the settings say, and levels it by its accuracy', async () => {
    const curriculum = make({ coldStart: 'all' });
    const { policy, context, progress } = preparation(curriculum);
    expect(await curriculum.prepare(context)).toBe(true);
    expect(policy.asked).toEqual(Object.fromEntries(NAMES.map((name) => [name, 20])));
    expect(progress).toEqual([
      [0, 6],
      [3, 6],
      [6, 6],
    ]);
    const drawn = await curriculum.draw({ ...STAGE_1, count: 6 });
    expect(Object.fromEntries(drawn.map((d) => [d.question.id, d.label]))).toEqual(LEVELS);
  });

  it('scores a pool of the size that is asked for, the same one for the same seed', async () => {
    const pools = await Promise.all(
      [0, 1].map(async () => {
        const curriculum = make({ pool: 2, scoringRollouts: 4 });
        const { policy, context } = preparation(curriculum);
        await curriculum.prepare(context);
        return policy.asked;
      }),
    );
    expect(Object.values(pools[0]!)).toEqual([4, 4]);
    expect(pools[1]).toEqual(pools[0]);
  });

  it('goes on where it was stopped, and is not done twice', async () => {
    const first = make();
    let asked = 0;
    const { context, saved } = preparation(first, () => ++asked > 1);
    expect(await first.prepare(context)).toBe(false);
    await expect(first.draw({ ...STAGE_2, count: 1 })).rejects.toThrow(/not been scored/);

    const second = make();
    second.restore(saved.at(-1)!);
    const rest = preparation(second);
    expect(await second.prepare(rest.context)).toBe(true);
    expect(Object.values(rest.policy.asked)).toEqual([20, 20, 20]);
    expect(second.state()).toEqual((await scored()).state());

    const third = make();
    third.restore(second.state());
    const nothing = preparation(third);
    expect(await third.prepare(nothing.context)).toBe(true);
    expect(nothing.policy.asked).toEqual({});
  });

  it('ends with the signal, and keeps what was saved', async () => {
    const curriculum = make();
    const { context, saved } = preparation(curriculum);
    const abort = new AbortController();
    const onProgress = (done: number): void => {
      if (done > 0) abort.abort();
    };
    await expect(
      curriculum.prepare({ ...context, onProgress, signal: abort.signal }),
    ).rejects.toThrow();
    expect(saved).toHaveLength(1);
  });

  it('ends where the policy fails, and scores nothing by it', async () => {
    const curriculum = make();
    const { policy, context, saved } = preparation(curriculum);
    policy.open = () => Promise.reject(new Error('device lost'));
    await expect(curriculum.prepare(context)).rejects.toThrow('device lost');
    expect(saved).toEqual([]);
    expect(curriculum.state()).toMatchObject({ scores: [] });
  });

  it('refuses a state of a larger pool', () => {
    const drawn = { hard: 0, medium: 0, easy: 0, dropped: 0, all: 0 };
    expect(() => make({ pool: 2 }).restore({ scores: [1, 1, 1], drawn })).toThrow(/pool of 2/);
    expect(() => make().restore({ scores: [2], drawn })).toThrow();
  });
});

it('has drawn and scored nothing at first', () => {
  const drawn = { hard: 0, medium: 0, easy: 0, dropped: 0, all: 0 };
  expect(make().state()).toEqual({ scores: [], drawn });
});

describe('the draws', () => {
  it('of stage 2 are hard : medium : easy = 7 : 2 : 1, never dropped, and truly labelled', async () => {
    const drawn = await (await scored()).draw({ ...STAGE_2, count: 20 });
    expect(labelsOf(drawn)).toEqual({ hard: 14, medium: 4, easy: 2 });
    for (const { question, label } of drawn)
      expect(label).toBe(LEVELS[question.id as keyof typeof LEVELS]);
  });

  it('of stage 1 are the dropped questions, or the whole pool', async () => {
    expect(labelsOf(await (await scored()).draw({ ...STAGE_1, count: 4 }))).toEqual({ dropped: 4 });
    const all = await scored({ coldStart: 'all' });
    expect(labelsOf(await all.draw({ ...STAGE_1, count: 12 }))).toEqual({
      easy: 4,
      medium: 2,
      hard: 4,
      dropped: 2,
    });
  });

  it.each([
    ['ur2-stage-1-3b', 'dropped'],
    ['ur2-stage-1-released', 'dropped'],
    // Its reward asks for the answer, and the paper gives it no cold-start data.
    ['ur2-stage-1-weak', 'hard'],
    ['r1-searcher-stage-1', 'hard'],
  ] as const)('under the reward %s begin with %s questions', async (reward, label) => {
    const stages = [{ steps: 1, reward, weights: {} }];
    const curriculum = make({}, { ...settings, stages });
    curriculum.restore((await scored()).state());
    const [first] = await curriculum.draw({ ...STAGE_1, count: 1 });
    expect(first!.label).toBe(label);
  });

  it('of stage 1 leave the mix of stage 2 as it is', async () => {
    const curriculum = await scored({ coldStart: 'all' });
    await curriculum.draw({ ...STAGE_1, count: 7 });
    const drawn = await curriculum.draw({ ...STAGE_2, count: 10 });
    expect(labelsOf(drawn)).toEqual({ hard: 7, medium: 2, easy: 1 });
  });

  it.each([
    // All right, all wrong: what is there is drawn, under its own name.
    [1, STAGE_1, 'easy'],
    [1, STAGE_2, 'easy'],
    [0, STAGE_2, 'dropped'],
  ])('where every question scores %f there is one level', async (score, at, label) => {
    const curriculum = make();
    const drawn = { hard: 0, medium: 0, easy: 0, dropped: 0, all: 0 };
    curriculum.restore({ scores: NAMES.map(() => score), drawn });
    expect(labelsOf(await curriculum.draw({ ...at, count: 5 }))).toEqual({ [label]: 5 });
  });

  it('go through a level once before they begin it again', async () => {
    const drawn = await (await scored({ mix: [1, 0, 0] })).draw({ ...STAGE_2, count: 4 });
    const ids = drawn.map(({ question }) => question.id);
    expect(ids.slice(0, 2).toSorted()).toEqual(['Estdine', 'Vosmark']);
    expect(ids.slice(2).toSorted()).toEqual(['Estdine', 'Vosmark']);
  });

  it('go on from a state', async () => {
    const curriculum = await scored();
    await curriculum.draw({ ...STAGE_1, count: 3 });
    await curriculum.draw({ ...STAGE_2, count: 7 });
    const other = make();
    other.restore(JSON.parse(JSON.stringify(curriculum.state())) as Json);
    const request = { ...STAGE_2, count: 9 };
    expect(await other.draw(request)).toEqual(await curriculum.draw(request));
  });

  it('with task mixing take the searches from what is not hard, and from nothing else', async () => {
    const mixing = await scored({ taskMixing: true });
    const drawn = [
      ...(await mixing.draw({ ...STAGE_1, count: 2 })),
      ...(await mixing.draw({ ...STAGE_2, count: 10 })),
    ];
    for (const { label, question } of drawn)
      expect(question.mayRetrieve).toBe(label === 'medium' || label === 'easy' ? false : undefined);
    const plain = await (await scored()).draw({ ...STAGE_2, count: 10 });
    expect(plain.every(({ question }) => question.mayRetrieve === undefined)).toBe(true);
  });
});
