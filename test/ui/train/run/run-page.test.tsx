import { beforeEach, describe, expect, it } from 'vitest';
import type { RunRecord } from '../../../../src/lab/contract/records/runs.ts';
import type { LiveRollout, TrainProgress } from '../../../../src/lab/contract/training.ts';
import type { TrainStep } from '../../../../src/records/training.ts';
import { getTraining } from '../../../../src/systems/index.ts';
import { RunEditor } from '../../../../src/ui/runs/RunEditor.tsx';
import { NewRun } from '../../../../src/ui/train/form/NewRun.tsx';
import { LiveStep } from '../../../../src/ui/train/run/LiveStep.tsx';
import { RunHeader } from '../../../../src/ui/train/run/RunHeader.tsx';
import { RunView, CollapseScale } from '../../../../src/ui/train/run/RunView.tsx';
import { StepRollouts } from '../../../../src/ui/train/run/StepRollouts.tsx';
import { actionsOf, phaseText } from '../../../../src/ui/train/run/run-words.ts';
import { TrainProblem } from '../../../../src/ui/train/Problem.tsx';
import { chooseTraining, useTrainForm } from '../../../../src/ui/train/store/train-draft.ts';
import { useTrain } from '../../../../src/ui/train/store/train-store.ts';
import { runRecord } from '../../../fixtures/train-runs.ts';
import { trainStep } from '../../../fixtures/train-steps.ts';
import { buttonsIn, htmlOf, linksIn, valuesOf, wordsIn } from '../../kit/render.tsx';
import { IDLE } from '../../../fixtures/activity.ts';

const progress = (rest: Partial<TrainProgress> = {}): TrainProgress => ({
  runId: 'a',
  status: 'running',
  phase: 'rollouts',
  step: 3,
  steps: 100,
  done: 12,
  total: 64,
  share: 0.25,
  etaSeconds: 4000,
  phaseSeconds: 0,
  activity: IDLE,
  pausing: false,
  notice: null,
  ...rest,
});

const failure = { kind: 'failed', message: 'The disk is full.', detail: 'QuotaExceeded' } as const;

const head = (
  rest: Partial<RunRecord> = {},
  now: TrainProgress | null = null,
  steps: readonly TrainStep[] = [],
): string => {
  const run = runRecord('a', { name: 'mine', step: 3, ...rest });
  useTrain.setState({ runs: [run], progress: now ? { a: now } : {} });
  return htmlOf(<RunHeader run={run} steps={steps} />, useTrain);
};
const names = (html: string): string[] => buttonsIn(html).map(({ name }) => name);

beforeEach(() => useTrain.setState({ ...useTrain.getInitialState(), here: 'a' }, true));

describe('a run that trains', () => {
  it('shows the score before the first step while that step is under way', () => {
    const words = () => wordsIn(head({ step: 0 }, progress({ step: 1 })));
    expect(words()).toContain('are scored before step 1');
    useTrain.setState({ atStart: { a: { em: 0.75, n: 64 } } });
    expect(words()).toMatch(
      /EM 75\.0 % 64 held-out questions; before the first step; 95 % interval \d/,
    );
  });

  it('says how many questions are held out of a collection that has fewer than the settings ask for', () => {
    const held = (dev: number): string => {
      const split = { by: 'share', seed: 0, train: 30, dev, test: 6, left: 0 } as const;
      return wordsIn(head({ step: 0, world: { seed: 0, questions: 42, split } }, progress()));
    };
    expect(held(6)).toContain('Baseline first: 6 held-out questions are scored');
    expect(held(900)).toContain('Baseline first: 64 held-out questions are scored');
    expect(held(0)).toContain('this run has no held-out questions');
  });

  it('says what goes before the first rollouts', () => {
    const run = runRecord('a', { step: 0 });
    const waiting = (now: Partial<TrainProgress> | null): string => {
      useTrain.setState({ runs: [run], progress: now ? { a: progress(now) } : {} });
      return wordsIn(htmlOf(<LiveStep run={run} first />, useTrain));
    };
    expect(waiting(null)).toMatch(/^The engines start\. Rollouts appear here as they end/);
    expect(waiting({ phase: 'demonstrations' })).toMatch(/^Cold start: collecting rollouts/);
    expect(waiting({ phase: 'warm-up' })).toMatch(
      /^Cold start: supervised updates on demonstrations\. Rollouts appear/,
    );
  });

  it('shows the rollouts that are made before the first step as they end, and what they are for', () => {
    const run = runRecord('a', { status: 'running', step: 0 });
    const tried: LiveRollout = {
      id: 't',
      runId: 'a',
      step: 0,
      of: 'before',
      groupId: 'a-demonstration-0',
      question: 'Who wrote Old Wolf?',
      gold: 'Ada',
      answer: 'Ada',
      reward: null,
      em: 1,
      searches: 2,
      tokens: 40,
    };
    useTrain.setState({
      progress: { a: progress({ phase: 'demonstrations', step: 1 }) },
      live: {
        a: [tried, { ...tried, id: 'u', groupId: 'a-demonstration-1', answer: 'Bo', em: 0 }],
      },
    });
    const words = wordsIn(htmlOf(<LiveStep run={run} first />, useTrain));
    expect(words).toMatch(/^Before the first step 2 rollouts done, EM 50\.0 % so far/);
    expect(words).toContain('Cold start: collecting rollouts; the correct ones are imitated.');
    expect(words).toMatch(/Who wrote Old Wolf\? gold Ada ✓ Ada/);
  });

  it('says what it does, how far it is and how long still', () => {
    const html = head({}, progress());
    expect(wordsIn(html)).toContain('step 3 / ');
    expect(wordsIn(html)).toContain('rollouts 12 / 64');
    expect(wordsIn(html)).toContain('≈ 1 h 7 min to go');
    expect(names(html)).toEqual(
      expect.arrayContaining(['Pause after this step', 'Stop now and keep step 3', 'Set']),
    );
    expect(names(html)).not.toContain('Resume');
    expect(wordsIn(head({}, progress({ etaSeconds: null })))).toContain(
      'Time left appears after step 1',
    );
  });

  it('has one Stop that says what each way of it costs', () => {
    const stopping = (rest: Partial<RunRecord>, made: number) => {
      const steps = Array.from({ length: made }, (_, i) => trainStep(i + 1, 'a'));
      return wordsIn(head(rest, progress({ step: made + 1 }), steps));
    };
    const each = stopping({ step: 3, checkpointStep: 3 }, 3);
    expect(each).toContain('Step 4 is finished and stored with a snapshot: nothing is lost.');
    expect(each).toContain('The step under way, 4, is lost. Kept: 3 steps with the adapter');
    expect(each).not.toContain('back to the snapshot');
    // Two steps were made since the last snapshot.
    const behind = stopping({ step: 5, checkpointStep: 5 }, 7);
    expect(behind).toContain('Stop now and keep step 7');
    expect(behind).toContain('Stop now, back to the snapshot of step 5');
    expect(behind).toContain('is lost. So are 2 steps after the last snapshot.');
    expect(stopping({ step: 0, checkpointStep: null }, 0)).toContain('No step is whole yet');
  });

  it('before its first step says what of the preparation a stop keeps, and when a pause comes', () => {
    const stopping = (checkpointStep: number | null, now: Partial<TrainProgress>) =>
      wordsIn(head({ step: 0, checkpointStep }, progress({ step: 1, ...now })));
    const scoring = { phase: 'scoring-questions', done: 15, total: 96 } as const;
    const some = stopping(0, scoring);
    expect(some).toContain(
      'Kept: the scores of 15 of 96 questions. The run can continue from there.',
    );
    expect(some).toContain('Pause before the first step');
    expect(some).toContain('all scores are kept, and the run can continue from there');
    expect(some).not.toContain('Step 1 is finished');
    expect(some).not.toContain('starts again');
    expect(stopping(null, { ...scoring, done: 0 })).toContain(
      'only the settings stay, and it starts again.',
    );
    // What came before is stored: scores, then held-out questions and the first step.
    const first = stopping(0, { phase: 'rollouts' });
    expect(first).toContain('The step under way, 1, is lost. Kept: what was made before that.');
    expect(first).toContain('Step 1 is finished and stored with a snapshot');
    expect(stopping(null, { phase: 'warm-up', done: 3, total: 40 })).toContain(
      'Kept: 3 of 40 updates of the cold start.',
    );
    expect(stopping(null, { phase: 'demonstrations', done: 9, total: 40 })).toContain(
      'starts again',
    );
  });

  it('cannot be paused twice', () => {
    const pause = buttonsIn(head({}, progress({ pausing: true }))).find(({ name }) =>
      name.startsWith('Paus'),
    );
    expect(pause).toMatchObject({ name: 'Pausing after this step', disabled: true });
  });

  it('in another tab says so', () => {
    useTrain.setState({ here: null });
    expect(wordsIn(head({}, progress()))).toContain(
      'This run is training in another tab; the buttons here control it',
    );
    useTrain.setState({ here: 'a' });
    expect(wordsIn(head({}, progress()))).not.toContain('another tab');
  });

  it('says what happened to it: the latest notice, and a frozen tab', () => {
    useTrain.setState({ frozen: 'Nothing arrived for 60 s.' });
    const html = head({ notice: 'An older one.' }, progress({ notice: 'A snapshot was skipped.' }));
    expect(wordsIn(html)).toContain('A snapshot was skipped.');
    expect(wordsIn(html)).not.toContain('An older one.');
    expect(wordsIn(html)).toContain('Nothing arrived for 60 s. Dismiss');
    const ended = head({ notice: 'An older one.', status: 'paused' }, progress({ notice: 'x' }));
    expect(wordsIn(ended)).toContain('An older one.');
    expect(wordsIn(ended)).not.toContain('Nothing arrived');
  });

  it('keeps saying what it made before its first step, whatever else is told', () => {
    const before = ['Cold start: 12 of 12 updates.'];
    for (const rest of [{}, { status: 'paused', notice: 'The tab was closed.' }] as const)
      expect(wordsIn(head({ before, ...rest }, progress()))).toContain(
        'Cold start: 12 of 12 updates.',
      );
  });

  it('has its adapter to download once there is a snapshot', () => {
    expect(names(head())).not.toContain('Download the adapter');
    expect(names(head({ checkpointStep: 2 }))).toContain('Download the adapter');
  });

  it('has no adapter to download of a snapshot that holds scores of questions alone', () => {
    const settings = { ...getTraining('ur2/paper'), warmUp: null };
    const scored = { step: 0, checkpointStep: 0, settings };
    expect(names(head(scored))).not.toContain('Download the adapter');
    expect(names(head(scored))).not.toContain('Ask with this adapter');
    expect(wordsIn(htmlOf(<RunEditor run={runRecord('a', scored)} />, useTrain))).toContain(
      'No update yet, so there is no adapter to export.',
    );
    // A warm-up and a start are updates.
    const { warmUp } = getTraining('kunlun-baize/whole');
    expect(warmUp).not.toBeNull();
    for (const rest of [{ settings: { ...settings, warmUp } }, { before: ['Start: 40 updates.'] }])
      expect(names(head({ ...scored, ...rest }))).toContain('Download the adapter');
  });
});

describe('a run that ended', () => {
  it('can go on where it has steps left', () => {
    expect(actionsOf(runRecord('a', { status: 'stopped', step: 3 }))).toEqual({
      stop: false,
      resume: true,
    });
    expect(names(head({ status: 'stopped' })).join()).toContain('Resume');
    expect(wordsIn(head({ status: 'stopped' }))).not.toContain('Stop');
  });

  it('goes on where something was made before its first step, and else starts again', () => {
    const stopped = { status: 'stopped', step: 0 } as const;
    expect(names(head(stopped))).toContain('Start again');
    const prepared = names(head({ ...stopped, checkpointStep: 0 }));
    expect(prepared).toContain('Go on');
    expect(prepared).not.toContain('Start again');
    const waiting = {
      status: 'paused',
      step: 0,
      sweep: { id: 's', name: 'Sweep', place: [0, 1], axes: [] },
    } as const;
    expect(names(head(waiting))).toContain('Start');
    const closed = { ...waiting, notice: 'The tab was closed before the first snapshot.' };
    expect(names(head(closed))).toContain('Start again');
  });

  it.each<[Partial<RunRecord>, string[]]>([
    [
      { status: 'failed', checkpointStep: 0, step: 0 },
      ['⚠ The run ended before its first step', 'Kept: what was made before step 1.'],
    ],
    [
      { status: 'failed', checkpointStep: 2 },
      ['⚠ The run ended after step 3', 'Kept: everything up to the snapshot of step 2.'],
    ],
    [
      { status: 'paused' },
      [
        '⚠ The run paused after step 3',
        'No snapshot was written before.',
        'Free storage on the runs page',
      ],
    ],
  ])('by a failure says what is kept and what to do: %#', (rest, words) => {
    const html = head({ failure, ...rest });
    for (const said of ['The disk is full.', 'QuotaExceeded', ...words])
      expect(wordsIn(html)).toContain(said);
    expect(valuesOf(html, 'role')).toContain('alert');
  });

  it('in a warm-up that had nothing right to learn from can train without, and names what the form has', () => {
    const none = { ...failure, kind: 'no-demonstrations' } as const;
    const html = head({ failure: none, status: 'failed', step: 0 });
    expect(names(html)).toContain('Train without the cold start');
    expect(wordsIn(html)).toContain('⚠ The run ended before its first step');
    // The same rollouts again would come to the same end.
    expect(names(html).join()).not.toContain('Start again');
    expect(names(head({ failure, status: 'failed' }))).not.toContain(
      'Train without the cold start',
    );
    chooseTraining('kunlun-baize/whole');
    const form = wordsIn(htmlOf(<NewRun />, useTrain, useTrainForm));
    const named = [...wordsIn(html).matchAll(/“([^”]+)”/g)].map(([, name]) => name!);
    expect(named).toEqual(
      expect.arrayContaining(['Cold start, then RL', 'On its own rollouts', 'Rollouts tried']),
    );
    for (const name of named) expect(form).toContain(name);
  });

  it('does not show an old failure while it trains again', () => {
    expect(wordsIn(head({ failure, status: 'running' }))).not.toContain('The disk is full.');
  });
});

describe('a phase', () => {
  it.each<[Partial<TrainProgress>, string]>([
    [{ phase: 'starting', done: 0, total: 0 }, 'starting the engines'],
    [{ phase: 'snapshot', done: 0, total: 1 }, 'snapshot'],
    [{ phase: 'update', done: 1200, total: 2400 }, 'update 1,200 / 2,400'],
    [{ phase: 'held-out', done: 70, total: 64 }, 'held-out questions 70 / 64'],
  ])('%# is said with how far it is', (rest, words) => {
    expect(phaseText(progress(rest))).toBe(words);
  });

  it('has the share of its step beside its count, which may be whole long before', () => {
    const at = (now: TrainProgress) => wordsIn(head({ status: 'running' }, now));
    expect(at(progress({ share: 0.71 }))).toContain('rollouts 12 / 64about 71 % of the step');
    expect(at(progress({ phase: 'warm-up' }))).not.toContain('of the step');
  });
});

describe('the page of a run', () => {
  const view = (step: number | null) =>
    htmlOf(<RunView run={runRecord('a', { step: 3 })} step={step} />, useTrain);

  it('says how to see the rollouts of a step, and while the steps are read that they are', () => {
    useTrain.setState({ steps: { a: [trainStep(1, 'a'), trainStep(2, 'a')] } });
    expect(wordsIn(view(null))).toContain('Click a chart, or focus it');
    expect(names(view(null))).toContain('Rollouts of step 2');
    useTrain.setState({ reading: ['a'] });
    expect(wordsIn(view(null))).toContain('Reading the 3 steps of the run …');
    expect(wordsIn(view(null))).not.toContain('Click a chart');
  });

  it('shows a step between its neighbours', () => {
    const panel = (step: number) =>
      buttonsIn(
        htmlOf(
          <StepRollouts
            run={runRecord('a')}
            step={step}
            record={undefined}
            last={3}
            select={() => undefined}
          />,
        ),
      );
    expect(panel(1).slice(0, 2)).toMatchObject([
      { name: '← earlier', disabled: true },
      { name: 'later →', disabled: false },
    ]);
    expect(panel(3).slice(0, 2)).toMatchObject([{ disabled: false }, { disabled: true }]);
    expect(panel(2).map(({ name }) => name)).toContain('Close the step');
  });

  it('leads to a comparison and to a new run', () => {
    expect(linksIn(head()).map(({ href }) => href)).toEqual(
      expect.arrayContaining(['/runs?compare=a', '/train?new=1']),
    );
  });
});

it.each([
  [{ beta1: 5, beta2: 6 }, '41.6'],
  [{ beta1: 0.1, beta2: 0.2 }, '25%'],
  [{ beta1: 1, beta2: 0 }, '100%'],
  [{ beta1: 9, beta2: 1 }, '100%'],
])('the printed reward %o stands at its place on the scale', (betas, place) => {
  const html = htmlOf(<CollapseScale mode={{ reward: 'paper', ...betas }} />);
  const now = /collapse-now" style="left:([^"]*)"/.exec(html)?.[1];
  expect(now).toContain(place);
  expect(/collapse-line" style="left:([^"]*)"/.exec(html)?.[1]).toMatch(/^41\.66/);
});

it('says what could not be done until it is put away, and offers to try again', () => {
  const shown = () => htmlOf(<TrainProblem />, useTrain);
  expect(wordsIn(shown())).toBe('');
  useTrain.setState({ problem: { text: 'The runs could not be read: disk', detail: '' } });
  expect(names(shown())).toEqual(['Copy details', 'Dismiss']);
  useTrain.setState({ status: 'failed' });
  expect(names(shown())).toEqual(['Try again', 'Copy details', 'Dismiss']);
});
