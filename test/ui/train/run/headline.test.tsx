import { beforeEach, describe, expect, it } from 'vitest';
import type { RunRecord } from '../../../../src/lab/contract/records/runs.ts';
import type { TrainStep } from '../../../../src/records/training.ts';
import { chartsOf } from '../../../../src/ui/train/charts/chart-specs.ts';
import { RunHeader } from '../../../../src/ui/train/run/RunHeader.tsx';
import { useTrain } from '../../../../src/ui/train/store/train-store.ts';
import { runRecord } from '../../../fixtures/train-runs.ts';
import { trainStep } from '../../../fixtures/train-steps.ts';
import { htmlOf, wordsIn } from '../../kit/render.tsx';

const head = (rest: Partial<RunRecord>, steps: readonly TrainStep[]): string => {
  const run = runRecord('a', { name: 'mine', step: 3, ...rest });
  useTrain.setState({ runs: [run], progress: {} });
  return htmlOf(<RunHeader run={run} steps={steps} />, useTrain);
};

beforeEach(() => useTrain.setState({ ...useTrain.getInitialState(), here: 'a' }, true));

describe('the headline', () => {
  const score = (ems: number[]) => ({
    n: ems.length,
    em: ems.reduce((a, b) => a + b, 0) / ems.length,
    f1: 0.5,
    recall: 1,
    searches: 2,
    formatValid: 1,
    questions: ems.map((em, i) => ({
      id: `q${i}`,
      text: 'Where?',
      gold: 'Oslo',
      answer: null,
      em,
      f1: em,
      searches: 2,
    })),
  });
  const steps = (before: number[], after: number[]) => [
    { ...trainStep(1, 'a'), heldOutAtStart: score(before) },
    { ...trainStep(2, 'a'), heldOut: score(after) },
  ];
  const BEFORE = [0, 0, 0, 0, 1, 1, 1, 1, 1, 1];
  const AFTER = [1, 1, 1, 1, 0, 1, 1, 1, 1, 1];

  it('is the score before the first step and the last one, with n, interval and change', () => {
    const words = wordsIn(head({ status: 'finished' }, steps(BEFORE, AFTER)));
    expect(words).toContain('EM 60.0 % → 90.0 %');
    expect(words).toContain('10 held-out questions; before the first step → after step 2');
    // Wilson of 6 and of 9 in 10.
    expect(words).toContain('31.3 % to 83.2 % → 59.6 % to 98.2 %');
    // 4 gained, 1 lost of 10 (Bonett and Price): 3/12 ± 1.96 · √((7/12 − 1/16) / 12) = 0.25 ± 0.408.
    expect(words).toContain('4 questions newly right by EM, 1 newly wrong: +30.0 points');
    expect(words).toContain(
      '95 % interval −15.8 to +65.8. The interval includes 0: no clear change yet.',
    );
    const one = wordsIn(head({ status: 'finished' }, steps([0], [0])));
    expect(one).toContain('+0.0 points, no interval: one question tells none.');
  });

  it('has beside it what a judge says, and of how many answers', () => {
    const judge = {
      by: 'tiny-judge/1',
      judged: 8,
      right: 0.625,
      notJudged: 2,
      agreement: null,
      kappa: null,
      tokens: 0,
      seconds: 0,
    };
    const judged = steps(BEFORE, AFTER).map((step, i) => ({
      ...step,
      ...(step.heldOutAtStart && { heldOutAtStart: { ...step.heldOutAtStart, judge } }),
      ...(step.heldOut &&
        i === 1 && {
          heldOut: { ...step.heldOut, judge: { ...judge, judged: 10, right: 0.9, notJudged: 0 } },
        }),
    }));
    expect(wordsIn(head({ status: 'finished' }, judged))).toContain(
      'By the judge, tiny-judge/1: 62.5 % right → 90.0 % right; answers judged: 8 of 10 → 10 of 10.',
    );
    expect(wordsIn(head({}, judged.slice(0, 1)))).toContain(
      'By the judge, tiny-judge/1: 62.5 % right; answers judged: 8 of 10.',
    );
    const [first] = judged;
    const none = {
      ...first!.heldOutAtStart!,
      judge: { ...judge, judged: 0, right: null, notJudged: 10 },
    };
    expect(wordsIn(head({}, [{ ...first!, heldOutAtStart: none }]))).toContain(
      'tiny-judge/1: no verdict; answers judged: 0 of 10',
    );
    expect(wordsIn(head({}, steps(BEFORE, AFTER)))).not.toContain('judge');
    const note = (all: readonly TrainStep[]) =>
      chartsOf(all, runRecord('a').settings)[0]!.charts[0]!.note;
    expect(note(judged)).toContain(
      'judge: of the answers that it judged, 10 of 10 at the last score',
    );
    expect(note(steps(BEFORE, AFTER))).not.toContain('judge');
  });

  it('is one score where there is one, and says of older records what is not known', () => {
    const one = [{ ...trainStep(1, 'a'), heldOutAtStart: score(BEFORE) }];
    expect(wordsIn(head({}, one))).toContain('EM 60.0 % 10 held-out questions');
    const old = steps(BEFORE, AFTER).map((step) => ({
      ...step,
      ...(step.heldOut && { heldOut: { ...step.heldOut, questions: undefined } }),
    })) as TrainStep[];
    expect(wordsIn(head({}, old))).toContain('what single questions got is not kept');
    expect(wordsIn(head({}, []))).toContain('are scored before step 1');
  });
});
