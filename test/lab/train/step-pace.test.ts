import { describe, expect, it } from 'vitest';
import type { MadeStep } from '../../../src/records/training.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { ActiveRun } from '../../../src/lab/train/active-run.ts';
import {
  expectedTime,
  measuredHere,
  nearestRun,
  paceByProbe,
  timeByProbe,
} from '../../../src/lab/train/pace/estimate.ts';
import { paceOf, secondsLeft } from '../../../src/lab/train/pace/step-pace.ts';
import { probeOf } from '../../fixtures/probes.ts';
import { runRecord } from '../../fixtures/train-runs.ts';
import { trainStep } from '../../fixtures/train-steps.ts';

const SCORE = { n: 64, em: 0.5, f1: 0.6, recall: 0.9, searches: 2, formatValid: 1 };

/** Seconds of a step: 64 rollouts and an update, and 64 held-out questions where there is a score. */
const timed = (
  step: number,
  { step: own, heldOut = 0 }: { step: number; heldOut?: number },
): MadeStep => ({
  ...trainStep(step),
  rollouts: 64,
  heldOut: heldOut > 0 ? SCORE : null,
  seconds: { rollout: 16, update: own - 16, heldOut, checkpoint: 0.5, total: own + heldOut },
});

/** 100 steps of 20 s, every tenth with 16 s of held-out questions; the last step is one of these. */
const settings = { ...getTraining('search/grpo'), steps: 100 };
const truth = (done: number): number => (100 - done) * 20.5 + 16 * (10 - Math.floor(done / 10));

describe('the time that a run still takes', () => {
  it('is that of its steps, its held-out scores and its snapshots', () => {
    expect(settings.heldOut).toMatchObject({ questions: 64, every: 10 });
    expect(settings.checkpointEvery).toBe(1);
    const pace = { step: 20, heldOut: 0.25, checkpoint: 0.5 };
    // 2 steps, one score of 64 questions, 2 snapshots.
    expect(secondsLeft(pace, settings, 98)).toBe(2 * 20 + 16 + 1);
    expect(secondsLeft(pace, settings, 100)).toBe(0);
    // The last step, 7, is scored and stored though it is not a multiple of 5 and of 4.
    const odd = { steps: 7, heldOut: { ...settings.heldOut, every: 5 }, checkpointEvery: 4 };
    expect(secondsLeft(pace, odd, 3)).toBe(4 * 20 + 2 * 16 + 2 * 0.5);
    const unscored = { ...odd, heldOut: { ...odd.heldOut, questions: 0 } };
    expect(secondsLeft(pace, unscored, 3)).toBe(4 * 20 + 2 * 0.5);
  });

  it('is by the median: one long step is not taken for all', () => {
    const steps = [20, 21, 19, 400, 20].map((own, i) => timed(i + 1, { step: own }));
    expect(paceOf(steps)?.step).toBe(20);
    expect(paceOf([])).toBeNull();
    // Before the first score a question counts as a rollout: 16 s for 64.
    expect(paceOf(steps)?.heldOut).toBe(0.25);
    expect(paceOf([...steps, timed(6, { step: 20, heldOut: 32 })])?.heldOut).toBe(0.5);
  });

  it('counts snapshots that only some steps have', () => {
    const stored = { ...settings, steps: 20, checkpointEvery: 5 };
    // A snapshot takes 4 s and is told with the step after it: 6, 11, …
    const made = Array.from({ length: 12 }, (_, i) => {
      const step = timed(i + 1, { step: 20 });
      const checkpoint = i > 0 && i % 5 === 0 ? 4 : 0;
      return { ...step, seconds: { ...step.seconds, checkpoint } };
    });
    expect(paceOf(made.slice(0, 5))?.checkpoint).toBe(0);
    expect(paceOf(made)).toMatchObject({ step: 20, checkpoint: 4 });
    const unscored = { ...stored, heldOut: { ...stored.heldOut, questions: 0 } };
    // Steps 13 to 20 by 20 s, and the snapshots after 15 and 20.
    expect(secondsLeft(paceOf(made)!, unscored, 12)).toBe(8 * 20 + 2 * 4);
    const run = runRecord('a', { settings: unscored, step: 12 });
    const found = expectedTime(unscored, { run, steps: made }, null);
    expect(found?.secondsPerStep).toBeCloseTo(20 + 4 / 5, 6);
  });

  it('does not rise where a run is paused and resumed', () => {
    const stored: MadeStep[] = [];
    let done = 0;
    const told: number[] = [];
    for (const sessionSteps of [12, 1, 2, 3]) {
      const active = new ActiveRun(runRecord('a', { settings, step: done }), stored, () => {});
      for (let i = 0; i < sessionSteps; i++) {
        done += 1;
        // Kernels are compiled in the first step of a session.
        const step = timed(done, { step: i === 0 ? 60 : 20, heldOut: done % 10 === 0 ? 16 : 0 });
        active.stepped(step, []);
        stored.push(step);
        active.moved({ phase: 'snapshot', step: done, steps: 100, done: 1, total: 1 });
        const eta = active.progress('running').etaSeconds ?? NaN;
        if (done > 2)
          expect(Math.abs(eta / truth(done) - 1), `after step ${done}`).toBeLessThan(0.05);
        if (done > 2) told.push(eta);
      }
    }
    expect(told).toEqual(told.toSorted((a, b) => b - a));
  });

  it('is known before the first step of a session by those before it', () => {
    const stored = [timed(1, { step: 20 }), timed(2, { step: 20 })];
    const again = new ActiveRun(runRecord('a', { settings, step: 2 }), stored, () => {});
    expect(again.progress('running').etaSeconds).toBeCloseTo(truth(2), 6);
    const first = new ActiveRun(runRecord('a', { settings }), [], () => {});
    expect(first.progress('running').etaSeconds).toBeNull();
  });

  it('is known before the first step by a probe, until a step is measured', () => {
    const active = new ActiveRun(
      runRecord('a', { settings }),
      [],
      () => {},
      paceByProbe(settings, probed),
    );
    // A baseline of a second, 100 steps of 1 s of rollouts and an update, and 10 scores of 64 questions, a second each.
    expect(active.progress('running').etaSeconds).toBeCloseTo(
      1 + 100 * (1 + updateSeconds(64)) + 10,
      1,
    );
    active.stepped(timed(1, { step: 20 }), []);
    active.moved({ phase: 'snapshot', step: 1, steps: 100, done: 1, total: 1 });
    expect(active.progress('running').etaSeconds).toBeCloseTo(truth(1), 6);
  });
});

describe('the time to go against recorded runs', () => {
  // Seconds of 50 steps each, kunlun-baize/dapo on two cores; every tenth is followed by 3 s of held-out questions.
  const RECORDED = [
    [
      12.0, 7.8, 8.6, 8.0, 10.0, 8.0, 7.6, 7.7, 8.6, 10.4, 9.3, 9.2, 7.8, 8.0, 8.5, 8.2, 8.1, 8.3,
      9.5, 7.9, 8.6, 7.8, 9.5, 7.6, 7.2, 6.2, 8.1, 8.2, 9.4, 9.2, 7.6, 8.5, 7.9, 6.9, 8.2, 8.6, 7.4,
      8.2, 8.0, 13.9, 6.3, 7.8, 11.9, 9.5, 12.7, 10.9, 8.0, 8.0, 7.6, 8.7,
    ],
    [
      13.4, 10.3, 8.6, 10.4, 7.4, 9.1, 8.8, 10.8, 8.7, 10.8, 9.0, 7.7, 7.9, 8.9, 9.1, 10.4, 8.0,
      7.2, 8.3, 9.0, 7.3, 8.2, 6.7, 5.2, 7.0, 6.4, 6.8, 7.2, 6.1, 5.9, 6.6, 7.1, 5.0, 7.4, 7.5, 7.8,
      7.5, 4.6, 11.2, 6.3, 6.8, 7.7, 6.8, 5.5, 7.0, 23.7, 12.4, 8.2, 5.2, 9.3,
    ],
  ];
  const whole = { ...settings, steps: 50 };
  const leftAfter = (times: readonly number[], done: number): number =>
    times.slice(done).reduce((sum, time) => sum + time, 0) + 3 * (5 - Math.floor(done / 10));

  it.each([
    // To its end.
    [0, 48],
    // Near its end a step took three times as long as any other, a growing part of what is left.
    [1, 30],
  ])(
    'is within 25 % of run %i after every step from the third to the %ith, resumed or not',
    (run, end) => {
      const times = RECORDED[run] ?? [];
      const made = times.map((own, i) => {
        const heldOut = (i + 1) % 10 === 0 ? 3 : 0;
        const step = timed(i + 1, { step: own, heldOut });
        const rollout = 0.75 * own;
        return {
          ...step,
          rollouts: 128,
          seconds: { ...step.seconds, rollout, update: own - rollout, checkpoint: 0 },
        };
      });
      const first = new ActiveRun(runRecord('a', { settings: whole }), [], () => {});
      for (let done = 1; done <= end; done++) {
        const record = made[done - 1];
        if (!record) throw new Error('no such step');
        first.stepped(record, []);
        first.moved({ phase: 'snapshot', step: done, steps: 50, done: 1, total: 1 });
        if (done < 3) continue;
        const stored = made.slice(0, done);
        const resumed = new ActiveRun(
          runRecord('a', { settings: whole, step: done }),
          stored,
          () => {},
        );
        for (const active of [first, resumed]) {
          const eta = active.progress('running').etaSeconds ?? NaN;
          const off = Math.abs(eta / leftAfter(times, done) - 1);
          expect(off, `after step ${done}`).toBeLessThan(0.25);
        }
      }
    },
  );
});

describe('how much of the step under way is done', () => {
  const phases = [
    ['starting', 1, 1],
    ['held-out', 64, 64],
    ['rollouts', 32, 64],
    ['rollouts', 64, 64],
    // Dynamic sampling draws per second batch.
    ['rollouts', 70, 128],
    ['update', 1, 2],
    ['update', 2, 2],
  ] as const;

  it('never falls within a step, and begins anew with the next', () => {
    const active = new ActiveRun(runRecord('a', { settings }), [], () => {});
    const shares = phases.map(([phase, done, total]) => {
      active.moved({ phase, step: 1, steps: 100, done, total });
      return active.progress('running').share;
    });
    // Before the first step: of the phase.
    expect(shares.slice(0, 2)).toEqual([1, 1]);
    const step = shares.slice(2);
    expect(step).toEqual(step.toSorted((a, b) => a - b));
    expect(step.at(-1)).toBe(1);
    active.moved({ phase: 'rollouts', step: 2, steps: 100, done: 0, total: 64 });
    expect(active.progress('running').share).toBe(0);
  });

  it('is by the time that the phases took, and counted off the time to go', () => {
    const stored = [timed(1, { step: 20 }), timed(2, { step: 20 })];
    const active = new ActiveRun(runRecord('a', { settings, step: 2 }), stored, () => {});
    active.moved({ phase: 'rollouts', step: 3, steps: 100, done: 32, total: 64 });
    // Half of 16 s of rollouts in a step of 20 s.
    expect(active.progress('running').share).toBeCloseTo(0.4, 6);
    expect(active.progress('running').etaSeconds).toBeCloseTo(truth(2) - 8, 6);
  });

  it('takes a held-out question for what it took before the first step', () => {
    const first = { ...timed(1, { step: 20 }), heldOutAtStart: { ...SCORE, seconds: 32 } };
    expect(paceOf([first])?.heldOut).toBe(0.5);
  });
});

it('the notice of a run keeps each of its lines, once', () => {
  const active = new ActiveRun(runRecord('a', { settings }), [], () => {});
  for (const line of ['Going on from step 2.', 'Scored otherwise.', 'Going on from step 2.'])
    active.note(line);
  expect(active.progress('running').notice).toBe('Going on from step 2. Scored otherwise.');
});

/** 64 rollouts take 1 s; learning takes 1 s for 2,000 tokens. */
const probed = probeOf({ rollout: 1 / 64, update: 0.1 }, true);

/** Even micro-batches of contexts of 200 tokens, of which 60 are their prompt, which each micro-batch has once. */
const MICRO_BATCHES = { 8: 2, 16: 2, 64: 6 };
const updateSeconds = (contexts: keyof typeof MICRO_BATCHES): number =>
  (contexts * 140 + MICRO_BATCHES[contexts] * 60) / 2000;

describe('what a run will take', () => {
  const grpo = getTraining('search/grpo');
  const searchR1 = { ...getTraining('search-r1/grpo'), recipe: grpo.recipe };
  const steps = [timed(1, { step: 24 }), timed(2, { step: 20 }), timed(3, { step: 20 })];

  it('is by the last run of the training recipe, and names it', () => {
    const past = [
      runRecord('other', { settings: searchR1, step: 3 }),
      runRecord('mine', { settings: grpo, step: 3, name: 'first try' }),
    ];
    const run = nearestRun(grpo, past);
    expect(run?.id).toBe('mine');
    const half = {
      ...grpo,
      questions: grpo.questions / 2,
      heldOut: { ...grpo.heldOut, questions: 0 },
    };
    const found = expectedTime(half, run && { run, steps }, null);
    expect(found?.basis).toBe('from your last run of this training recipe, “first try”');
    // 20 s for 64 rollouts; half as many, and half a second for the snapshot.
    expect(grpo.questions * grpo.groupSize).toBe(64);
    expect(found?.secondsPerStep).toBeCloseTo(10.5, 6);
    // A run of the same training recipe says more than a probe.
    expect(expectedTime(half, run && { run, steps }, probed)).toEqual(found);
  });

  it('claims no run of a recipe that was never trained', () => {
    const past = [runRecord('other', { settings: searchR1, step: 3, name: 'R1' })];
    const run = nearestRun(grpo, past);
    expect(expectedTime(grpo, run && { run, steps }, null)?.basis).toBe(
      'from your run “R1”: another training recipe, the same rollout recipe',
    );
    const none = nearestRun(grpo, [
      runRecord('not begun', { settings: grpo }),
      runRecord('from elsewhere', { settings: grpo, step: 3, importedStep: 3 }),
      runRecord('another agent', { settings: { ...grpo, recipe: 'naive-rag' }, step: 3 }),
    ]);
    expect(none).toBeNull();
    // Nothing is said from another machine.
    expect(expectedTime(grpo, null, null)).toBeNull();
    expect(expectedTime(grpo, run && { run, steps }, probed)?.basis).toMatch(
      /^measured on this device with 64 rollouts/,
    );
  });

  it('is not by steps that made no update', () => {
    const skipped = steps.map((step) => ({ ...step, skipped: { why: 'equal-rewards' as const } }));
    const run = runRecord('mine', { settings: grpo, step: 3 });
    expect(expectedTime(grpo, { run, steps: skipped }, null)).toBeNull();
    const some = expectedTime(grpo, { run, steps: [...skipped, timed(4, { step: 20 })] }, null);
    expect(some?.secondsPerStep).toBeCloseTo(20.5 + (64 * 0.25) / 10, 6);
  });

  it('leaves out the steps that an imported run brought along', () => {
    expect(measuredHere({ importedStep: 2 }, steps).map(({ step }) => step)).toEqual([3]);
    expect(measuredHere({}, steps)).toHaveLength(3);
    const resumed = runRecord('resumed', { settings: grpo, step: 3, importedStep: 2 });
    expect(nearestRun(grpo, [resumed])).toBe(resumed);
  });
});

it('an estimate counts the rollouts before the first step: own trajectories, scored questions, held-out ones', () => {
  const before = (id: string, change: Partial<TrainSettings>): number => {
    const settings = { ...getTraining(id), questions: 8, groupSize: 8, ...change };
    return timeByProbe(settings, probed).secondsBefore;
  };
  const heldOut = { questions: 64, every: 10, temperature: 0.3 };
  // 64 rollouts take a second: 64 held-out questions are one.
  expect(before('search/grpo', { heldOut })).toBeCloseTo(1, 9);
  // 256 own trajectories and 64 questions, and the updates on the trajectories.
  const { warmUp } = getTraining('kunlun-baize/whole');
  if (!warmUp || !('updates' in warmUp.length)) throw new Error('no warm-up');
  expect(warmUp.batch).toBe(16);
  const learned = warmUp.length.updates * updateSeconds(16);
  expect(before('kunlun-baize/whole', { heldOut })).toBeCloseTo(5 + learned, 6);
  // 96 questions scored by 20 rollouts each.
  expect(before('ur2/paper', { heldOut, start: 'searching' })).toBeCloseTo((1920 + 64) / 64, 9);
  // A start without searches: 64 rollouts; 12 of 24 updates on 16 of them; 32 rollouts at first, after each 2 updates, and
  // for 2.5 tries. 368 rollouts are 6 waves.
  expect(before('ur2/paper', { heldOut, start: 'not-searching' })).toBeCloseTo(
    (1920 + 64) / 64 + 6 + 12 * updateSeconds(16),
    9,
  );
});

describe('a step on stored trajectories makes no rollouts', () => {
  const heldOut = { questions: 0, every: 10, temperature: 0.3 };
  const secondsOf = (id: string, change: Partial<TrainSettings> = {}): number =>
    timeByProbe({ ...getTraining(id), heldOut, ...change }, probed).secondsPerStep;

  it('and takes what learning from as many contexts takes; a pair is two', () => {
    const rollouts = secondsOf('search/grpo', { questions: 8, groupSize: 8 });
    // A second of rollouts, and 64 contexts.
    expect(rollouts).toBeCloseTo(1 + updateSeconds(64), 9);
    expect(secondsOf('agent-distillation/distil')).toBeCloseTo(updateSeconds(8), 9);
    expect(secondsOf('dto/dpo')).toBeCloseTo(updateSeconds(16), 9);
    // However many rollouts per step would make.
    expect(secondsOf('dto/dpo', { questions: 64 })).toBe(secondsOf('dto/dpo'));
    // One stage of 10 steps on 8 trajectories, then 10 steps of rollouts.
    const [stage] = getTraining('agent-distillation/distil').stages;
    const [own] = getTraining('search/grpo').stages;
    if (!stage || !own) throw new Error('no stages');
    const stages = [
      { ...stage, steps: 10 },
      { ...own, steps: 10 },
    ];
    const both = secondsOf('search/grpo', { questions: 8, groupSize: 8, steps: 20, stages });
    expect(both).toBeCloseTo((rollouts + updateSeconds(8)) / 2, 9);
  });

  it('and is estimated by what such steps took', () => {
    const distil = { ...getTraining('agent-distillation/distil'), heldOut };
    const run = runRecord('mine', { settings: distil, step: 3 });
    const steps = [1, 2, 3].map((step) => ({
      ...timed(step, { step: 2 }),
      rollouts: 0,
      seconds: { rollout: 0, update: 2, heldOut: 0, checkpoint: 0, total: 2 },
    }));
    expect(expectedTime(distil, { run, steps }, null)?.secondsPerStep).toBeCloseTo(2, 9);
    // Twice the batch takes twice as long.
    const [stage] = distil.stages;
    if (!stage) throw new Error('no stage');
    const larger = {
      ...distil,
      stages: [{ ...stage, loss: { kind: 'stored-sft' as const, batch: 16 } }],
    };
    expect(expectedTime(larger, { run, steps }, null)?.secondsPerStep).toBeCloseTo(4, 9);
  });
});
