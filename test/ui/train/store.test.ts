import { shareInterval } from '../../../src/base/statistics.ts';
import { describe, expect, it } from 'vitest';
import type { TrainStep } from '../../../src/records/training.ts';
import type { TrainProgress } from '../../../src/lab/contract/training.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { RunRecord } from '../../../src/lab/contract/records/runs.ts';
import { figuresOf, parseTags } from '../../../src/ui/runs/figures.ts';
import { formatDuration } from '../../../src/ui/kit/words/duration.ts';
import { fileStem } from '../../../src/ui/kit/page/save-file.ts';
import { frozenSeconds } from '../../../src/ui/train/store/train-actions.ts';
import {
  formatCompared,
  formatTrainAddress,
  parseCompared,
  parseTrainAddress,
} from '../../../src/ui/train/store/train-address.ts';
import {
  applyTrainMessages,
  EMPTY_TRAIN,
  mergeSteps,
  trainingRun,
  trainsElsewhere,
} from '../../../src/ui/train/store/train-store.ts';
import { collapseText } from '../../../src/agent/router/reward.ts';
import { chartsOf } from '../../../src/ui/train/charts/chart-specs.ts';
import { groupRollouts } from '../../../src/ui/ask/store/rollout-groups.ts';
import { actionsOf, phaseText } from '../../../src/ui/train/run/run-words.ts';
import { paintOf } from '../../../src/ui/kit/tokens/paint.ts';
import { tableOf } from '../../../src/ui/ask/store/training-step.ts';
import { emptyRollout } from '../../fixtures/rollouts.ts';
import { runRecord } from '../../fixtures/train-runs.ts';
import { trainStep } from '../../fixtures/train-steps.ts';
import { IDLE } from '../../fixtures/activity.ts';

const step = (number: number, rest: Partial<TrainStep> = {}): TrainStep => ({
  ...trainStep(number, 'a'),
  em: 0.5,
  seconds: { rollout: 10, update: 4, heldOut: 1, checkpoint: 0.5, total: 16 },
  ...rest,
});

const run = (id: string, rest: Partial<RunRecord> = {}): RunRecord =>
  runRecord(id, { name: id, ...rest });

const progress: TrainProgress = {
  runId: 'a',
  status: 'running',
  phase: 'rollouts',
  step: 3,
  steps: 100,
  done: 12,
  total: 64,
  share: 0,
  etaSeconds: null,
  phaseSeconds: 0,
  activity: IDLE,
  pausing: false,
  notice: null,
};

describe('what arrives from training', () => {
  it('adds runs newest first, and replaces a run by what it became', () => {
    const state = applyTrainMessages(EMPTY_TRAIN, [
      { type: 'run', run: run('a') },
      { type: 'run', run: run('b', { createdAt: '2026-01-02T00:00:00Z', status: 'paused' }) },
      { type: 'run', run: run('a', { step: 1 }) },
      { type: 'progress', progress },
    ]);
    expect(state.runs.map(({ id, step }) => [id, step])).toEqual([
      ['b', 0],
      ['a', 1],
    ]);
    expect(state.progress.a).toEqual(progress);
    expect(trainingRun(state)?.id).toBe('a');
  });

  it('keeps steps of opened runs only', () => {
    const opened = { ...EMPTY_TRAIN, steps: { a: [] } };
    const messages = [
      { type: 'step' as const, step: step(1) },
      { type: 'step' as const, step: step(1, { runId: 'b' }) },
    ];
    const { steps } = applyTrainMessages(opened, messages);
    expect(steps).toEqual({ a: [step(1)] });
  });

  it('forgets the steps after the snapshot of a run that was interrupted', () => {
    const before = { ...EMPTY_TRAIN, steps: { a: [step(1), step(2), step(3)] } };
    const end = (rest: Partial<RunRecord>) =>
      applyTrainMessages(before, [{ type: 'run', run: run('a', rest) }]).steps.a?.length;
    expect(end({ status: 'paused', step: 2 })).toBe(2);
    expect(end({ status: 'running', step: 2 })).toBe(3);
    expect(end({ status: 'finished', step: 3 })).toBe(3);
  });

  it('knows a run that trains in another tab', () => {
    const here = applyTrainMessages(EMPTY_TRAIN, [{ type: 'here', runId: 'a' }]);
    expect(trainsElsewhere(here, run('a'))).toBe(false);
    expect(trainsElsewhere(here, run('b'))).toBe(true);
    expect(trainsElsewhere(here, run('b', { status: 'paused' }))).toBe(false);
  });

  it('replaces the steps that a run did again after it went back to a snapshot', () => {
    const before = { ...EMPTY_TRAIN, steps: { a: [step(1), step(2), step(3)] } };
    const { steps } = applyTrainMessages(before, [{ type: 'step', step: step(2, { em: 0.9 }) }]);
    expect(steps.a?.map(({ step: n, em }) => [n, em])).toEqual([
      [1, 0.5],
      [2, 0.9],
    ]);
  });

  it('lets what arrived while the steps were read count more', () => {
    const merged = mergeSteps([step(1), step(2), step(3)], [step(3, { em: 1 }), step(4)]);
    expect(merged.map(({ step: n, em }) => [n, em])).toEqual([
      [1, 0.5],
      [2, 0.5],
      [3, 1],
      [4, 0.5],
    ]);
  });
});

describe('a frozen tab', () => {
  it('is said only where nothing arrived for long while the page was hidden', () => {
    expect(frozenSeconds({ heardAt: 0, hidden: true }, 42_400)).toBe(42);
    expect(frozenSeconds({ heardAt: 0, hidden: true }, 5_000)).toBeNull();
    expect(frozenSeconds({ heardAt: 0, hidden: false }, 42_400)).toBeNull();
  });
});

describe('addresses', () => {
  it('restore run and step', () => {
    const address = { run: 'dapo-1', step: 40 };
    expect(formatTrainAddress(address)).toBe('/train?run=dapo-1&step=40');
    expect(parseTrainAddress('?run=dapo-1&step=40')).toEqual(address);
    expect(parseTrainAddress('?step=40')).toEqual({ run: null, step: null });
    expect(parseTrainAddress('?run=a&step=-1')).toEqual({ run: 'a', step: null });
  });

  it('restore the runs that are compared, each once', () => {
    expect(formatCompared(['a', 'b'])).toBe('/runs?compare=a,b');
    expect(parseCompared('?compare=a,b,a,')).toEqual(['a', 'b']);
    expect(parseCompared('?compare=1,2,3,4,5,6,7,8,9')).toHaveLength(8);
    expect(formatCompared([])).toBe('/runs');
  });
});

describe('the charts of a run', () => {
  const charts = (steps: TrainStep[], settings = getTraining('kunlun-baize/dapo')) =>
    new Map(
      chartsOf(steps, settings)
        .flatMap((group) => group.charts)
        .map((spec) => [spec.id, spec]),
    );

  it('shows every clause, and what no phase counts as other time', () => {
    const found = charts([step(1), step(2)]);
    expect(found.get('reward')?.series.map(({ id }) => id)).toEqual([
      'reward',
      'format',
      'accuracy',
    ]);
    expect(found.get('phases')?.series.map(({ points }) => points[0]?.y)).toEqual([
      10, 4, 1, 0.5, 0.5,
    ]);
  });

  it('promises nothing of rollouts where no step makes any', () => {
    const ids = [...charts([], getTraining('dto/dpo')).keys()];
    expect(ids).toEqual(expect.arrayContaining(['em', 'searches', 'loss', 'gradient']));
    for (const id of ['reward', 'length', 'entropy', 'zero']) {
      expect(ids).not.toContain(id);
      expect(charts([]).has(id)).toBe(true);
    }
  });

  it('shows what gates let through and latent tokens of a run with gates, and of no other', () => {
    const settings = getTraining('kunlun-baize/dapo');
    const rates = { learningRate: 0.001, lambdaLearningRate: 0.01 };
    const gates = { id: 'hrpo', rMin: 0.99, rMax: 0.999, ...rates };
    const gated = { ...settings, adapter: { ...settings.adapter, gates } };
    const steps = [step(1, { latent: { tokens: 21, gate: 0.994 } }), step(2)];
    const found = charts(steps, gated);
    expect(found.get('gates')?.series[0]?.points).toEqual([{ x: 1, y: 1 - 0.994 }]);
    expect(found.get('latent')?.series[0]?.points).toEqual([{ x: 1, y: 21 }]);
    expect(charts(steps).has('gates')).toBe(false);
  });

  it('leaves a gap where nothing was measured, and says why a chart is empty', () => {
    const scored = { n: 100, em: 0.8, f1: 0.9, recall: 1, searches: 2, formatValid: 1 };
    const found = charts([step(1), step(2, { heldOut: scored })]);
    const heldOut = found.get('em')?.series.find(({ id }) => id === 'EM held-out');
    expect(heldOut?.points).toEqual([{ x: 2, y: 0.8 }]);
    expect(heldOut?.interval?.get(2)?.map((value) => value.toFixed(3))).toEqual(['0.711', '0.867']);
    expect(found.get('kl')?.series).toEqual([]);
    expect(found.get('kl')?.empty).toBe('Shows with the first held-out score.');
  });

  it('stacks what the curriculum drew, zero where a class was not drawn', () => {
    const found = charts([
      step(1, { drawn: { hard: 8 } }),
      step(2, { drawn: { hard: 6, easy: 2 } }),
    ]);
    expect(
      found.get('drawn')?.series.map(({ id, points }) => [id, points.map(({ y }) => y)]),
    ).toEqual([
      ['hard', [8, 6]],
      ['easy', [0, 2]],
    ]);
  });

  it('draws the end of the printed router reward in paper mode only', () => {
    const router = {
      calls: 4,
      byKind: { bridge: { calls: 4, local: 0.7, reward: 0.2 } },
      latencyMs: { local: 3, web: 40 },
      recallGained: { local: 0.4, web: 0.6 },
      reward: 0.2,
      gradientNorm: 1,
    };
    const settings = getTraining('kunlun-baize/dapo');
    settings.router.train = 'beside';
    settings.overrides = { nlr: { reward: 'paper', beta1: 0.5, beta2: 0.5 } };
    const paper = charts([step(1, { router })], settings).get('router');
    expect(paper?.series.map(({ id, points }) => [id, points[0]?.y])).toEqual([['bridge', 0.7]]);
    expect(paper?.lines?.[0]?.value).toBe(1);
    settings.overrides = { nlr: { reward: 'measured' } };
    expect(charts([step(1, { router })], settings).get('router')?.lines).toBeUndefined();
    expect(charts([step(1)]).has('router')).toBe(false);
  });

  it('says on which side of 5/6 the ratio lies', () => {
    expect(collapseText({ beta1: 0.5, beta2: 0.5 })).toContain('1 > 5/6: always local');
    expect(collapseText({ beta1: 0.4, beta2: 0.6 })).toContain('< 5/6: always web');
    expect(collapseText({ beta1: 5, beta2: 6 })).toContain('= 5/6: neither');
  });

  it('has Wilson’s interval for a share, which does not vanish at 1', () => {
    // n = 20, p = 1: (1 + z²/40 − z²/40) / (1 + z²/20) = 1 / 1.19208 at the low end.
    const [low, high] = shareInterval(1, 20);
    expect(low).toBeCloseTo(0.83887, 4);
    expect(high).toBeCloseTo(1, 9);
    expect(shareInterval(0, 0)).toEqual([0, 1]);
  });
});

describe('the rollouts of a step', () => {
  const rollout = (id: string, groupId: string, reward: number | null) => ({
    ...emptyRollout(id),
    groupId,
    reward,
  });

  it('stand by question, the best reward first, with a word on groups without signal', () => {
    const groups = groupRollouts([
      rollout('1', 'x', 0.2),
      rollout('2', 'y', 1),
      rollout('3', 'x', 0.6),
      rollout('4', 'y', 1),
    ]);
    expect(groups.map(({ rollouts, varies }) => [rollouts.map(({ id }) => id), varies])).toEqual([
      [['3', '1'], true],
      [['2', '4'], false],
    ]);
    expect(groups[0]?.mean).toBeCloseTo(0.4);
    expect(groupRollouts([rollout('1', 'x', null)])[0]?.mean).toBeNull();
  });

  it('open in Inspect as rollouts that ended', () => {
    const table = tableOf([rollout('1', 'x', 1), rollout('2', 'x', 0)]);
    expect(table.order).toEqual(['1', '2']);
    expect(table.finished).toEqual({ 1: true, 2: true });
  });

  it('colour by advantage only what the loss trains; sign is place, size is strength', () => {
    const policy = { source: 'policy', role: 'think', mask: 1 } as const;
    const read = { source: 'environment', role: 'result', mask: 0 } as const;
    const by = (advantage: number) => ({ by: 'advantage', advantage, largest: 2 }) as const;
    expect(paintOf(policy, by(2))).toEqual({
      colour: 'gain',
      strength: 1,
      hangs: false,
      hatched: false,
    });
    expect(paintOf(policy, by(-1))).toMatchObject({ colour: 'loss', hangs: true });
    expect(paintOf(policy, by(-1)).strength).toBeLessThan(paintOf(policy, by(-2)).strength);
    expect(paintOf(read, by(2))).toMatchObject({ colour: 'idle', hatched: true });
    expect(paintOf(read, { by: 'writer' })).toMatchObject({ colour: 'environment', strength: 1 });
  });
});

describe('rollouts of the step under way', () => {
  const ended = (id: string, step: number, of: 'step' | 'held-out' = 'step') => ({
    type: 'rollout' as const,
    rollout: {
      id,
      runId: 'a',
      step,
      of,
      groupId: 'g',
      question: 'Where?',
      gold: 'Oslo',
      answer: 'Oslo',
      reward: 1,
      em: 1,
      searches: 2,
      tokens: 40,
    },
  });
  const idsAfter = (...messages: ReturnType<typeof ended>[]) =>
    applyTrainMessages({ ...EMPTY_TRAIN, steps: { a: [] } }, messages).live['a']?.map(
      ({ id }) => id,
    );

  it('gather as they end, and are those of one step', () => {
    expect(idsAfter(ended('x', 1), ended('y', 1))).toEqual(['x', 'y']);
    expect(idsAfter(ended('h', 0, 'held-out'), ended('x', 1), ended('y', 1))).toEqual(['x', 'y']);
    expect(idsAfter(ended('x', 1), ended('z', 2))).toEqual(['z']);
    // A step that begins again after a lost worker.
    expect(idsAfter(ended('x', 1), ended('y', 1), ended('x', 1))).toEqual(['x']);
  });

  it('tell the score before the first step as soon as its questions are all answered', () => {
    const wrong = ended('i', 0, 'held-out');
    const messages = [
      ended('h', 0, 'held-out'),
      { ...wrong, rollout: { ...wrong.rollout, em: 0 } },
    ];
    const after = (...more: ReturnType<typeof ended>[]) =>
      applyTrainMessages({ ...EMPTY_TRAIN, steps: { a: [] } }, [...messages, ...more]).atStart;
    expect(after()).toEqual({});
    expect(after(ended('x', 1))).toEqual({ a: { em: 0.5, n: 2 } });
    // Later ones are in the records of their steps.
    expect(after(ended('x', 1), ended('k', 1, 'held-out'), ended('y', 2))).toEqual({
      a: { em: 0.5, n: 2 },
    });
  });

  it('are not kept of a run that nobody looks at', () => {
    expect(applyTrainMessages(EMPTY_TRAIN, [ended('x', 1)]).live).toEqual({});
  });
});

describe('words and figures', () => {
  it('offers what a run can do', () => {
    expect(actionsOf(run('a'))).toEqual({ stop: true, resume: false });
    expect(actionsOf(run('a', { status: 'failed', step: 5 })).resume).toBe(true);
    expect(actionsOf(run('a', { status: 'finished', step: 100 })).resume).toBe(false);
    expect(phaseText(progress)).toBe('rollouts 12 / 64');
  });

  it('sums a run up by its last and its held-out scores', () => {
    const score = (em: number) => ({ n: 64, em, f1: em, recall: 1, searches: 2, formatValid: 1 });
    const steps = [
      step(1),
      step(2, { heldOut: score(0.7) }),
      step(3, { heldOut: score(0.8), em: 0.9 }),
    ];
    expect(figuresOf(steps)).toEqual({
      lastEm: 0.9,
      heldOut: { first: 0.7, last: 0.8, n: 64, step: 3 },
    });
    expect(figuresOf([])).toEqual({ lastEm: null, heldOut: null });
  });

  it('reads tags and writes times and file names', () => {
    expect(parseTags(' a, b,,a ')).toEqual(['a', 'b']);
    expect([0.42, 35, 1020, 4020, 260_000].map(formatDuration)).toEqual([
      '0.42 s',
      '35 s',
      '17 min',
      '1 h 7 min',
      '3 days',
    ]);
    expect(fileStem('UR² — my run, 2')).toBe('ur-my-run-2');
    expect(fileStem('??')).toBe('run');
  });
});
