import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import type { Question } from '../../../src/records/records.ts';
import {
  collect,
  rolloutOverrides,
  type Collected,
  type CollectRequest,
} from '../../../src/learn/rl/collect.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { DynamicSampling, TrainSettings } from '../../../src/recipes/parts/training.ts';
import type { Policy } from '../../../src/policy/policy.ts';
import { retrieverOver } from '../../agent/helpers.ts';
import { ScriptedPolicy } from '../../agent/scripted-policy.ts';

const question = (id: string): Question => ({
  id,
  text: 'Where?',
  answers: ['Borfield'],
  supporting: [],
});
const answer = (text: string): string =>
  `<think> t</think><short_answer> \\boxed{ ${text} }</short_answer>`;
const [RIGHT, WRONG] = [answer('Borfield'), answer('Oslo')];

/** A policy whose contexts write these texts, in the order in which they are opened. */
function writing(texts: readonly string[]): Policy {
  const next = [...texts];
  const { info, tokenizer } = new ScriptedPolicy({ main: [] });
  return {
    info,
    tokenizer,
    open: () => new ScriptedPolicy({ main: [next.shift() ?? WRONG] }).open(),
    dispose: () => undefined,
  };
}

const STAGE = { steps: 1, reward: 'em', weights: {} };

const settingsOf = (change: Partial<TrainSettings>): TrainSettings => ({
  ...getTraining('search/grpo'),
  recipe: 'search',
  overrides: {},
  questions: 2,
  groupSize: 2,
  overlong: null,
  ...change,
});

/** A step over groups that answer so; the groups drawn are named a, b, c, …. @param drawn how many were before */
async function step(
  texts: readonly string[],
  change: Partial<TrainSettings>,
  at: Partial<CollectRequest> = {},
  drawn = 0,
): Promise<{ made: Collected; trained: string[]; told: [number, number][]; drawn: number }> {
  const told: [number, number][] = [];
  const made = await collect({
    settings: settingsOf(change),
    agent: {
      policy: writing(texts),
      retriever: retrieverOver(),
      router: createRouter(),
      now: () => 0,
    },
    curriculum: {
      draw: ({ count }) =>
        Promise.resolve(
          Array.from({ length: count }, () => {
            const id = String.fromCharCode(97 + drawn++);
            return { question: question(id), label: drawn % 2 ? 'odd' : 'even' };
          }),
        ),
      state: () => drawn,
      restore: (state) => (drawn = Number(state)),
    },
    runId: 'run',
    step: 1,
    stage: STAGE,
    onRollout: (done, total) => told.push([done, total]),
    ...at,
  });
  return { made, told, drawn, trained: made.trained.map(([first]) => first?.question.id ?? '') };
}

const on = (change: Partial<DynamicSampling> = {}): Partial<TrainSettings> => ({
  dynamicSampling: { by: 'reward', maxBatches: 3, ...change },
});
const off: Partial<TrainSettings> = { dynamicSampling: null };
/** SPEED-RL's. */
const screenBy = (screen: number, withinStep = true): Pick<DynamicSampling, 'system'> => ({
  system: { id: 'speed-rl', screen, withinStep },
});
const EQUAL = [RIGHT, RIGHT];
const MIXED = [RIGHT, WRONG];

describe('the rollouts of a step', () => {
  it('are one batch of groups, rewarded, and counted where all rewards of one are equal', async () => {
    const { made, trained, told } = await step([...EQUAL, ...MIXED], off);
    expect(made).toMatchObject({ batches: 1, zeroVariance: 1, drawn: { odd: 1, even: 1 } });
    expect(made.all.map((group) => group.map(({ reward }) => reward))).toEqual([
      [1, 1],
      [1, 0],
    ]);
    expect(trained).toEqual(['a', 'b']);
    expect(told.at(-1)).toEqual([4, 4]);
    expect(made.all.flat().map(({ groupId }) => groupId)).toEqual([
      'run-1-0-0',
      'run-1-0-0',
      'run-1-0-1',
      'run-1-0-1',
    ]);
  });

  it('with dynamic sampling are drawn again until enough groups vary', async () => {
    const { made, trained, told } = await step([...EQUAL, ...MIXED, ...MIXED, ...MIXED], on());
    expect(made).toMatchObject({ batches: 2, zeroVariance: 1, drawn: { odd: 2, even: 2 } });
    // The first two that vary; the fourth is one too many.
    expect(trained).toEqual(['b', 'c']);
    // The second batch counts on from the first.
    // It is told when a batch begins, too, before any of it has ended; what was done never falls.
    expect(told.map(([done]) => done)).toEqual([0, 1, 2, 3, 4, 4, 5, 6, 7, 8]);
    expect(told.at(-1)).toEqual([8, 8]);
  });

  it('are not drawn again where all vary at once', async () => {
    const { made } = await step([...MIXED, ...MIXED], on());
    expect(made.batches).toBe(1);
  });

  it('end after so many batches, with fewer groups', async () => {
    const { made, trained } = await step([...EQUAL, ...EQUAL, ...MIXED], on({ maxBatches: 2 }));
    expect(made.batches).toBe(2);
    expect(trained).toEqual(['c']);
  });

  it('where accuracy must vary and does not, fall back to groups whose rewards do', async () => {
    // Both are wrong; the longer one is punished.
    const long = `<think>${' t'.repeat(40)}</think>${WRONG}`;
    const overlong = { max: 40, buffer: 20 };
    const texts = [WRONG, long, WRONG, WRONG];
    const { made, trained } = await step(texts, {
      ...on({ by: 'accuracy', maxBatches: 1 }),
      overlong,
    });
    expect(made.all[0]?.[0]?.reward).toBeGreaterThan(made.all[0]?.[1]?.reward ?? Infinity);
    expect(trained).toEqual(['a']);
  });

  it('are never drawn again for a router that is trained alone: it learns from every call', async () => {
    const { router } = getTraining('search/grpo');
    const alone = { ...on(), router: { ...router, train: 'alone' as const } };
    const { made, trained } = await step([...EQUAL, ...EQUAL], alone);
    expect(made.batches).toBe(1);
    expect(trained).toEqual(['a', 'b']);
  });
});

describe('the settings of a rollout', () => {
  it("are the run's overrides, its sampling, then the question's own", () => {
    const settings = settingsOf({
      overrides: { retrieval: { k: 2, source: 'local' }, sampling: { temperature: 9, topK: 5 } },
    });
    const own = { retrieval: { k: 7 } };
    expect(rolloutOverrides(settings, 0.5, own)).toMatchObject({
      retrieval: { k: 7, source: 'local' },
      sampling: { temperature: 0.5, topP: 1, topK: 5 },
    });
  });
});

describe('screening and bands', () => {
  const four = (change: Partial<DynamicSampling>): Partial<TrainSettings> => ({
    ...on({ maxBatches: 1, ...change }),
    questions: 3,
    groupSize: 4,
  });

  it('goes on only with the questions whose first rollouts vary, and trains on whole groups', async () => {
    // Screened: a varies, b is all right, c all wrong. a continues with two more.
    const texts = [RIGHT, WRONG, RIGHT, RIGHT, WRONG, WRONG, RIGHT, RIGHT];
    const { made, trained } = await step(texts, four(screenBy(2)));
    expect(made.all.map(({ length }) => length)).toEqual([4, 2, 2]);
    expect(trained).toEqual(['a']);
    expect(made.trained[0]?.map(({ reward }) => reward)).toEqual([1, 0, 1, 1]);
    // The rollouts that the group would have had whole.
    expect(made.trained[0]?.map(({ id }) => id.split('-').at(-1))).toEqual(['0', '1', '2', '3']);
    const seeds = new Set(made.trained[0]?.map(({ seed }) => seed));
    expect(seeds.size).toBe(4);
  });

  it('revives failures of whole groups, each once: none of those that only screen', async () => {
    const branching = {
      id: 'rex-rag',
      chance: 1,
      rate: 1,
      smoothing: 0.1,
      correction: 'none',
    } as const;
    // Screened: a varies, b and c do not; a's two others are right, so that one of its four failed.
    const texts = [RIGHT, WRONG, RIGHT, RIGHT, WRONG, WRONG, RIGHT, RIGHT];
    const { made } = await step(texts, { ...four(screenBy(2)), branching });
    expect(made.all.map((group) => group.map(({ id }) => id))).toEqual([
      ['run-1-0-0-0', 'run-1-0-0-1', 'run-1-0-0-2', 'run-1-0-0-3', 'run-1-0-0-4'],
      ['run-1-0-1-0', 'run-1-0-1-1'],
      ['run-1-0-2-0', 'run-1-0-2-1'],
    ]);
    expect(made.all[0]?.map(({ forks }) => forks?.at(-1)?.rolloutId)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'run-1-0-0-1',
    ]);
  });

  it('screen the next step’s questions beside this one’s, where that is asked for', async () => {
    const ahead = { ...four(screenBy(2, false)), questions: 2 };
    // Nothing is screened yet: a varies, b does not; then a continues while c and d are screened.
    const first = [RIGHT, WRONG, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, WRONG, WRONG, WRONG];
    const one = await step(first, ahead, { nextStage: STAGE });
    expect(one.trained).toEqual(['a']);
    expect(one.made.all.map(({ length }) => length)).toEqual([4, 2]);
    expect(one.made).toMatchObject({ batches: 1, drawn: { odd: 1, even: 1 } });
    expect([...(one.made.stale ?? [])]).toEqual([]);
    const done = one.told.map(([count]) => count);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect([...new Set(done)]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const { ahead: screened } = one.made;
    expect(screened).toMatchObject({ step: 2, batches: 1, curriculum: 2 });
    const ids = screened?.groups.map((group) => group.map(({ id }) => id));
    expect(ids).toEqual([
      ['run-2-0-0-0', 'run-2-0-0-1'],
      ['run-2-0-1-0', 'run-2-0-1-1'],
    ]);
    // c continues; the last step screens nothing, and leaves the curriculum as it found it.
    const two = await step([WRONG, WRONG], ahead, { step: 2, ahead: screened }, one.drawn + 3);
    expect(two.trained).toEqual(['c']);
    expect(two.made.trained[0]?.map(({ reward }) => reward)).toEqual([1, 0, 0, 0]);
    expect(two.made.all.map(([rollout]) => rollout?.question.id)).toEqual(['c', 'd']);
    expect([...(two.made.stale ?? [])]).toEqual(ids?.flat());
    expect(two.made.ahead).toBeUndefined();
    expect(two.drawn).toBe(7);
    // What was screened is as it was: the step can be made again.
    expect(screened?.groups.map(({ length }) => length)).toEqual([2, 2]);
  });

  it('are drawn for the next step until enough of them vary, and no more are gone on with', async () => {
    const ahead = { ...four({ ...screenBy(2, false), maxBatches: 2 }), questions: 2 };
    const cold = [...MIXED, ...MIXED, RIGHT, RIGHT, WRONG, WRONG];
    // c varies and d does not, so that e and f are looked at, who both do.
    const texts = [...cold, ...MIXED, ...EQUAL, ...MIXED, ...MIXED];
    const one = await step(texts, ahead, { nextStage: STAGE });
    expect(one.trained).toEqual(['a', 'b']);
    expect(one.made.ahead).toMatchObject({ batches: 2 });
    const { ahead: screened } = one.made;
    const two = await step(
      [RIGHT, RIGHT, RIGHT, RIGHT],
      ahead,
      { step: 2, ahead: screened },
      one.drawn,
    );
    expect(two.trained).toEqual(['c', 'e']);
    expect(two.made.all.map(({ length }) => length)).toEqual([4, 2, 4, 2]);
  });

  it('a band leaves out what is right too rarely or too often', async () => {
    const share = (right: number): string[] =>
      Array.from({ length: 4 }, (_, i) => (i < right ? RIGHT : WRONG));
    const texts = [...share(1), ...share(2), ...share(3)];
    const { made } = await step(texts, four({ by: { above: 0.25, below: 0.75 } }));
    // Of 1, 2 and 3 right of four only the half lies within; the others fill what is missing.
    expect(made.trained.map(([first]) => first?.question.id)).toEqual(['b', 'a', 'c']);
    const wider = await step(texts, four({ by: { above: 0.2, below: 0.8 } }));
    expect(wider.trained).toEqual(['a', 'b', 'c']);
  });
});
