import { afterEach, describe, expect, it } from 'vitest';
import { createCurriculum } from '../../../src/learn/curriculum/create.ts';
import { loadCurriculum } from '../../../src/learn/curriculum/provided.ts';
import { isScored } from '../../../src/learn/curriculum/score-questions.ts';
import type { Curriculum } from '../../../src/learn/rl/contracts.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import { Draws, type Draw } from '../../../src/handover/environment/episodes.ts';
import { idsOf } from '../../agent/scripted-policy.ts';
import { drive, partsOf, resultsOf, serve, settingsOf, type Served } from './served.ts';
import { testWorld } from './world.ts';

/** Row n of a data set is draw n of the curriculum, whoever asks for it and when. */

const SYSTEMS = {
  uniform: [],
  difficulty: ['curriculum.system={"id":"ur2","tasks":null}'],
  'gold-noise': ['curriculum.system={"id":"kunlun-baize","goldEpochs":6}'],
};
const settings = (kind: keyof typeof SYSTEMS, ...more: string[]): TrainSettings =>
  settingsOf('search-r1', ['questions=4', ...SYSTEMS[kind], ...more]);

async function curriculumOf(of: TrainSettings): Promise<Curriculum> {
  const { questions, retriever } = await testWorld();
  const train = questions.filter(({ split }) => split === 'train').slice(0, 50);
  await loadCurriculum(of);
  const curriculum = createCurriculum(of, { questions: train, retriever });
  if (isScored(curriculum))
    curriculum.restore({
      // Hard, medium and easy ones, and some to be dropped.
      scores: Array.from({ length: 50 }, (_, i) => (i % 10) / 10),
      drawn: { hard: 0, medium: 0, easy: 0, dropped: 0, all: 0 },
    });
  return curriculum;
}

async function drawsOf(of: TrainSettings, start = 0): Promise<Draws> {
  const made = await Promise.all(Array.from({ length: 4 }, () => curriculumOf(of)));
  return new Draws(of, 'run', () => made.pop() ?? made[0] ?? fail(), start);
}
const fail = (): never => {
  throw new Error('too many curricula were made');
};

const told = ({ drawn, groupId, seed }: Draw) => ({
  question: drawn.question.id,
  label: drawn.label,
  groupId,
  seed,
});

describe.each(['uniform', 'difficulty', 'gold-noise'] as const)('%s', (kind) => {
  const of = settings(kind);

  it('draws step by step what the loop draws', async () => {
    const [curriculum, draws] = [await curriculumOf(of), await drawsOf(of)];
    for (let step = 1; step <= 5; step++) {
      const wanted = await curriculum.draw({ step, batch: 0, count: 4 });
      for (const [place, { question, label }] of wanted.entries()) {
        const draw = await draws.at((step - 1) * 4 + place, step);
        expect(told(draw)).toMatchObject({
          question: question.id,
          label,
          groupId: `run-${step}-0-${place}`,
        });
      }
    }
  });

  it('draws the same in any order, after a restart, and again', async () => {
    const inOrder = await drawsOf(of);
    const wanted = [];
    for (let n = 0; n < 20; n++) wanted.push(told(await inOrder.at(n, 1 + Math.floor(n / 4))));
    const mixed = await drawsOf(of);
    for (const n of [17, 3, 0, 12, 19, 3])
      expect(told(await mixed.at(n, 1 + Math.floor(n / 4)))).toEqual(wanted[n]);
  });
});

it('gives a step that draws again the batches of the loop', async () => {
  const of = settings('gold-noise');
  const [curriculum, draws] = [await curriculumOf(of), await drawsOf(of)];
  const expected = [];
  for (const at of [
    { step: 1, batch: 0 },
    { step: 2, batch: 0 },
    { step: 2, batch: 1 },
    { step: 3, batch: 0 },
  ])
    for (const { question, label } of await curriculum.draw({ ...at, count: 4 }))
      expected.push({ question: question.id, label, group: `run-${at.step}-${at.batch}` });
  const steps = [1, 2, 2, 3];
  for (const [n, { question, label, group }] of expected.entries()) {
    const draw = told(await draws.at(n, steps[Math.floor(n / 4)] ?? 0));
    expect(draw).toMatchObject({ question, label });
    expect(draw.groupId.startsWith(group)).toBe(true);
  }
});

it('draws batches again that are long past', async () => {
  const of = settings('uniform', 'steps=2000');
  const draws = await drawsOf(of);
  const first = told(await draws.at(1, 1));
  await draws.at(4 * 1500, 1501);
  expect(told(await draws.at(1, 1))).toEqual(first);
});

it('continues at the step of a run', async () => {
  const of = settings('uniform');
  const whole = await drawsOf(of);
  const wanted = told(await whole.at(41, 11));
  const state = await curriculumOf(of);
  await state.draw({ step: 1, batch: 0, count: 40 });
  const draws = new Draws(of, 'run', () => state, 10);
  expect(told(await draws.at(41, 11))).toEqual(wanted);
  await expect(draws.at(39, 10)).rejects.toThrow(/has made 10 steps; it continues with draw 40/);
});

describe('a served curriculum', () => {
  let served: Served;
  afterEach(() => served.stop());
  const ANSWER = { ids: idsOf('<think> b </think><short_answer> \\boxed{ x } </short_answer>') };

  it('is shared by servers, each for its own groups', async () => {
    const of = settings('uniform');
    const whole = await serve(await partsOf(of));
    const all = [0, 1, 2, 3].map((draw) => ({ id: `d${draw}`, draw, step: 1 }));
    const wanted = resultsOf(await drive(whole, all, () => ANSWER));
    await whole.stop();
    served = await serve(await partsOf(of, { shard: { index: 1, of: 2 } }));
    const own = resultsOf(
      await drive(
        served,
        all.filter(({ draw }) => draw % 2 === 1),
        () => ANSWER,
      ),
    );
    const asked = (one: { question: string; group: string }) => [one.question, one.group];
    expect(own.map(asked)).toEqual([wanted[1], wanted[3]].map((one) => one && asked(one)));
    const other = await served.post('/v1/open', { rollouts: [{ id: 'x', draw: 2, step: 1 }] });
    expect(other.status).toBe(409);
    expect(other.text).toMatch(/draw 2 is for the server of shard 0\/2; this is 1\/2/);
  });

  it('has the stage of the step', async () => {
    const of = settings(
      'uniform',
      'stages=[{"steps":1,"reward":"em"},{"steps":9,"reward":"kunlun-short"}]',
    );
    served = await serve(await partsOf(of));
    const [first, second] = resultsOf(
      await drive(
        served,
        [1, 2].map((step) => ({ id: `s${step}`, draw: 0, step })),
        () => ANSWER,
      ),
    );
    expect(Object.keys(first?.rewards ?? {})).not.toEqual(Object.keys(second?.rewards ?? {}));
    expect(second?.step).toBe(2);
  });

  it('scores the pool of a difficulty curriculum before it draws', async () => {
    const of = settings(
      'difficulty',
      'curriculum.system.pool=4',
      'curriculum.system.scoringRollouts=3',
    );
    served = await serve(await partsOf(of));
    const scoring = () => served.environment.health().scoring;
    expect(scoring()).toEqual({ total: 12, left: 12 });
    const early = await served.post('/v1/open', { rollouts: [{ id: 'x', draw: 0, step: 1 }] });
    expect(early.status).toBe(409);
    expect(early.text).toMatch(/not scored yet \(12 rollouts are left\)/);
    // Two work on them; one closes a rollout, which the other is handed then.
    const prepare = async (most: number) =>
      JSON.parse((await served.post('/v1/prepare', { most })).text) as {
        requests: { id: string; rollout: string }[];
        left: number;
      };
    const [a, b] = [await prepare(8), await prepare(8)];
    expect([a.requests.length, b.requests.length]).toEqual([8, 4]);
    expect((await prepare(8)).requests).toEqual([]);
    const lost = a.requests[0]?.rollout ?? '';
    await served.post('/v1/close', { rollouts: [lost] });
    await served.step([...a.requests.slice(1), ...b.requests].map(({ id }) => ({ id, ...ANSWER })));
    expect(scoring()).toEqual({ total: 12, left: 1 });
    const again = await prepare(8);
    expect(again.requests.map(({ rollout }) => rollout)).toEqual([lost]);
    await served.step(again.requests.map(({ id }) => ({ id, ...ANSWER })));
    expect(await prepare(8)).toMatchObject({ requests: [], left: 0 });
    const [drawn] = resultsOf(await drive(served, [{ id: 'x', draw: 0, step: 1 }], () => ANSWER));
    // Nobody ever answered right: all of the pool is dropped, and drawn for want of others.
    expect(drawn?.label).toBe('dropped');
    expect(served.records.map(({ id }) => id)).toEqual(['x']);
  });

  it('cannot be scored, or count retrievals, by several servers', async () => {
    served = await serve(await partsOf(settings('uniform')));
    const shard = { index: 0, of: 2 };
    await expect(partsOf(settings('difficulty'), { shard }).then(serve)).rejects.toThrow(
      /curriculum\.system: several servers cannot score/,
    );
    const counting = settings('gold-noise', 'curriculum.system.noiseBy=retrievals');
    await expect(partsOf(counting, { shard }).then(serve)).rejects.toThrow(
      /curriculum\.system\.noiseBy/,
    );
  });
});

describe('settings that are not run here', () => {
  it.each([
    ['router.train=beside', /router\.train/],
    ['shuffleRewards=true', /shuffleRewards/],
    ['overrides.sampling.topK=5', /top-k/],
  ])('%s', async (change, words) => {
    await expect(partsOf(settingsOf('search-r1', [change])).then(serve)).rejects.toThrow(words);
  });
});
