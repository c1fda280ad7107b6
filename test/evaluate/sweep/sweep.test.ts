import { describe, expect, test } from 'vitest';
import { parseSweep, shortName, sweepable, sweepText } from '../../../src/evaluate/sweep/axes.ts';
import { MOST_CELLS, planSweep } from '../../../src/evaluate/sweep/cells.ts';
import { bestOf, shade, SWEEP_METRICS } from '../../../src/evaluate/sweep/matrix.ts';
import { sweepFiles } from '../../../src/evaluate/sweep/report.ts';
import { armOf, sweepStudy } from '../../../src/evaluate/sweep/study.ts';
import { sweepSecondsLeft } from '../../../src/evaluate/sweep/pace.ts';
import { planStudy } from '../../../src/evaluate/study/plan.ts';
import { readStudy } from '../../../src/evaluate/study/file/read.ts';
import { checkTrainable } from '../../../src/learn/rl/trainable.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { TrainStep } from '../../../src/records/training.ts';

const plan = (text: string, id = 'kunlun-baize/dapo') =>
  planSweep(getTraining(id), parseSweep(text), checkTrainable);

test('a grid is read by row and by column, short names among the settings', () => {
  const cells = plan('lr=1e-4,3e-4; groupSize=4,8,16');
  expect(cells.map(({ place }) => place.join())).toEqual([
    '0,0',
    '0,1',
    '0,2',
    '1,0',
    '1,1',
    '1,2',
  ]);
  expect(
    cells.map(({ settings }) => [settings.optimizer.learningRate, settings.groupSize]),
  ).toEqual([
    [1e-4, 4],
    [1e-4, 8],
    [1e-4, 16],
    [3e-4, 4],
    [3e-4, 8],
    [3e-4, 16],
  ]);
  expect(cells.at(-1)?.name).toBe('lr 3e-4 · group 16');
  const text = 'optimizer.learningRate=1e-4,3e-4;shuffleRewards=true,false;stages.0.reward=em,f1';
  expect(sweepText(parseSweep(text))).toBe(text);
});

test('one setting is a row', () => {
  const cells = plan('seed=3,4,5');
  expect(cells.map(({ place, settings }) => [...place, settings.seed])).toEqual([
    [0, 0, 3],
    [0, 1, 4],
    [0, 2, 5],
  ]);
});

test('of a swept factor of the reward, the others keep their proportions and all sum to 1', () => {
  const { stages } = getTraining('kunlun-baize/dapo');
  const own = sweepable(getTraining('kunlun-baize/dapo'))
    .filter((path) => path.startsWith('stages.0.weights.'))
    .map((path) => shortName(path));
  expect(own.length).toBeGreaterThan(2);
  const [first = '', second = '', third = ''] = own;
  const [low, high] = plan(`weights.${first}=0.1,0.4`).map(({ settings }) => settings);
  for (const settings of [low, high]) {
    const weights = settings?.stages[0]?.weights ?? {};
    expect(Object.values(weights).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
  }
  const ratio = (weights: Record<string, number> = {}) => weights[second]! / weights[third]!;
  expect(high?.stages[0]?.weights[first]).toBe(0.4);
  expect(low?.stages[0]?.weights[first]).toBe(0.1);
  expect(ratio(high?.stages[0]?.weights)).toBeCloseTo(ratio(low?.stages[0]?.weights), 12);
  expect(stages).toEqual(getTraining('kunlun-baize/dapo').stages);
  expect(() => plan(`weights.${first}=0.6,0.7;weights.${second}=0.5,0.6`)).toThrow(
    /weights of stage 1 sum to more than 1/,
  );
});

test.each([
  ['lr', /'lr' has no values; write setting=value,value/],
  ['lr=1e-4,', /empty value/],
  ['lr=[1],2', /'\[1\]' of lr is not a number, a word, true or false/],
  ['', /one or two settings, not 0/],
  ['lr=1e-4,2e-4;seed=1,2;groupSize=2,4', /one or two settings, not 3/],
  ['lr=1e-4', /lr has one value; give two or more/],
  ['lr=1e-4,0.0001', /lr has the value 0\.0001 twice/],
  ['nothing=1,2', /nothing cannot be swept/],
  ['preset=a,b', /preset cannot be swept/],
  ['optimizer=1,2', /optimizer holds several settings; name one of them, such as optimizer\./],
  ['lr=1,2;optimizer.learningRate=3,4', /both axes are optimizer\.learningRate/],
  ['lr=1e-4,-1', /lr -1: training settings: optimizer\.learningRate/],
  ['steps=5,0', /steps 0: With 0 steps and no cold start nothing is trained/],
  ['heldOut.questions=4,8', /heldOut\.questions cannot be swept/],
])('%j is refused in one line', (text, message) => {
  let said = '';
  try {
    plan(text);
  } catch (error) {
    said = (error as Error).message;
  }
  expect(said).toMatch(message);
  expect(said).not.toContain('\n');
});

test.each([
  [
    'kunlun-baize/dapo',
    'kl=0,0.5',
    /objective\.kl\.coefficient has no effect here: the KL penalty/,
  ],
  // One of the rows switches off what the columns vary.
  [
    'kunlun-baize/dapo',
    'objective.kl.place=loss,off;kl=0.1,0.5',
    /place off · kl 0\.1: .*no effect/,
  ],
])('of %s, %s would make the same run several times', (id, text, message) => {
  const [axis] = parseSweep(text).slice(-1);
  expect(sweepable(getTraining(id))).not.toContain(axis?.path);
  expect(() => plan(text, id)).toThrow(message);
});

test('a setting that the other axis switches on is swept', () => {
  expect(plan('objective.kl.place=loss,reward;kl=0.1,0.5')).toHaveLength(4);
});

test(`at most ${MOST_CELLS} runs`, () => {
  const seeds = (count: number) => Array.from({ length: count }, (_, i) => i).join();
  expect(plan(`seed=${seeds(18)};groupSize=2,4`)).toHaveLength(36);
  expect(() => plan(`seed=${seeds(13)};groupSize=2,4,8`)).toThrow(/13 × 3 are 39 runs; at most 36/);
});

test('runs that nothing is held out for cannot be compared', () => {
  const settings = getTraining('search/grpo');
  settings.heldOut.questions = 0;
  expect(() => planSweep(settings, parseSweep('seed=1,2'), () => undefined)).toThrow(
    /there are none; set heldOut\.questions above 0/,
  );
});

const given = {
  revision: 'abc',
  identityOf: ({ source }: { source: unknown }) => Promise.resolve(source),
  digestOf: () => Promise.resolve(''),
};

describe('as a study', () => {
  test.each(['lr=1e-4,3e-4;groupSize=4,8', 'weights.format=0.1,0.3;seed=1,2', 'seed=1,2,3'])(
    '%s trains every cell once, with its settings, and scores it on dev questions',
    async (text) => {
      const axes = parseSweep(text);
      const cells = plan(text);
      const world = { seed: 11 };
      const study = readStudy(JSON.stringify(sweepStudy(cells, axes, { world })), () => false);
      expect(study.file.evaluate.split).toBe('dev');
      const { trainings, uses } = await planStudy(study, given);
      expect(trainings).toHaveLength(cells.length);
      for (const cell of cells) {
        const { arm, seed } = armOf(cell);
        const use = uses.filter((one) => one.at === 'end' && one.arm === arm && one.seed === seed);
        expect(use).toHaveLength(1);
        const key = use[0]!.score.replace(/-over-.*/, '');
        const training = trainings.find(
          ({ settings }) => JSON.stringify(settings) === JSON.stringify(cell.settings),
        );
        expect(training?.key).toContain(key);
      }
    },
  );
});

const score = (em: number, f1 = em) => ({ n: 10, em, f1, recall: 1, searches: 2, formatValid: 1 });
/** Of a step, what the numbers of a sweep read. */
const stepOf = (step: number, reward: number, more: Partial<TrainStep> = {}) =>
  ({
    step,
    heldOut: null,
    reward: { mean: reward, std: 0, clauses: {} },
    seconds: { total: 2 * step, rollout: 0, update: 0, heldOut: 0, checkpoint: 0 },
    ...more,
  }) as TrainStep;

test('the numbers of a run', () => {
  const steps = [
    stepOf(1, 9, { heldOutAtStart: score(0.25) }),
    ...[2, 3, 4, 5].map((step) => stepOf(step, 0.5)),
    stepOf(6, 1, { heldOut: score(0.75, 0.8) }),
  ];
  const numbers = Object.fromEntries(SWEEP_METRICS.map(({ id, read }) => [id, read(steps)]));
  // Steps 2 to 6: (4 · 0.5 + 1) / 5, and (4 + 6 + 8 + 10 + 12) / 5.
  expect(numbers).toEqual({ em: 0.75, gain: 0.5, f1: 0.8, searches: 2, reward: 0.6, seconds: 8 });
  expect(SWEEP_METRICS.map(({ read }) => read([]))).toEqual(SWEEP_METRICS.map(() => null));
  const once = [stepOf(1, 0, { heldOut: score(0.5) })];
  expect(SWEEP_METRICS.find(({ id }) => id === 'gain')?.read(once)).toBeNull();
});

test('shades run from the least to the most; what is best is named, ties too', () => {
  expect([0.25, 0.5, 0.75].map((value) => shade(value, [0.25, 0.5, 0.75]))).toEqual([0, 0.5, 1]);
  expect(shade(0.3, [0.3, 0.3])).toBe(0.5);
  expect(bestOf([0.2, null, 0.4, 0.4], { up: true })).toEqual([2, 3]);
  expect(bestOf([0.2, null, 0.4], { up: false })).toEqual([0]);
  expect(bestOf([null, 0.4], { up: true })).toEqual([]);
  expect(bestOf([0.4, 0.4], { up: true })).toEqual([]);
});

test('the grid as files', () => {
  const axes = parseSweep('lr=1e-4,3e-4;groupSize=4,8');
  const files = sweepFiles({ title: 'EM, %', axes, values: [0.25, null, 0.5, 0.125] });
  expect(files['sweep.csv']).toBe(
    'optimizer.learningRate,groupSize,em\r\n0.0001,4,0.25\r\n0.0001,8,\r\n0.0003,4,0.5\r\n0.0003,8,0.125\r\n',
  );
  const lines = (files['sweep.md'] ?? '').replaceAll('\\', '').split('\n');
  expect(lines).toContain('| 1e-4 | 25.0 | – |');
  expect(lines).toContain('| 3e-4 | **50.0** | 12.5 |');
  // The least is faintest, the most is strongest, and what is not made is not tinted.
  const opacity = [
    ...(files['sweep.svg'] ?? '').matchAll(/class="cell"[^>]*fill-opacity="([\d.]+)"/g),
  ];
  const [a = 0, b = 0, c = 0, d = 0] = opacity.map(([, value]) => Number(value));
  expect(b).toBe(0);
  expect(d).toBeLessThan(a);
  expect(a).toBeLessThan(c);
  expect(files['sweep.svg']).toContain('>lr 1e-4<');
});

test('the time that is left, by seconds per rollout', () => {
  const settings = (groupSize: number) => ({
    steps: 4,
    questions: 2,
    groupSize,
    heldOut: { questions: 8, every: 2, temperature: 0.3 },
  });
  const step = (total: number) => ({ seconds: { ...stepOf(1, 0).seconds, total } });
  const over = {
    settings: settings(3),
    // 4 steps of 6 rollouts, and 8 held-out questions after the second and the fourth: 40 rollouts in 80 s.
    steps: [step(12), step(28), step(12), step(28)],
    state: 'over' as const,
    etaSeconds: null,
  };
  const waits = (groupSize: number) => ({
    settings: settings(groupSize),
    steps: [],
    state: 'waits' as const,
    etaSeconds: null,
  });
  // 4 · 2 · 5 rollouts, 8 questions before the first step and twice later: 64 at 2 s.
  expect(sweepSecondsLeft([over, waits(5)])).toBeCloseTo(128, 9);
  const trains = { ...waits(5), state: 'trains' as const, etaSeconds: 30 };
  expect(sweepSecondsLeft([over, trains, waits(5)])).toBeCloseTo(158, 9);
  expect(sweepSecondsLeft([waits(5), waits(5)])).toBeNull();
});
