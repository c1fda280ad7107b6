import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stieCounts, sumStieCounts } from '../../../src/agent/stie-counts.ts';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { fitSummarizer, useSetup } from '../../../src/ui/setup/setup-store.ts';
import { NewRun } from '../../../src/ui/train/form/NewRun.tsx';
import { RunView } from '../../../src/ui/train/run/RunView.tsx';
import { StepRollouts } from '../../../src/ui/train/run/StepRollouts.tsx';
import {
  changeDraft,
  checkDraft,
  chooseTraining,
  resetDraft,
  useTrainForm,
} from '../../../src/ui/train/store/train-draft.ts';
import { useTrain } from '../../../src/ui/train/store/train-store.ts';
import { runRecord } from '../../fixtures/train-runs.ts';
import { trainStep } from '../../fixtures/train-steps.ts';
import { verdict } from '../kit/events/every-event.ts';
import { buttonsIn, htmlOf, valuesOf, wordsIn } from '../kit/render.tsx';

/** The headline system of each paper on the page: chosen, started by one button, and drawn. */

beforeEach(() => {
  vi.stubGlobal('navigator', { storage: {} });
  useTrain.setState({ ...useTrain.getInitialState(), status: 'ready' }, true);
});
afterEach(() => {
  vi.unstubAllGlobals();
  resetDraft();
  useSetup.setState({ setup: BUILT_IN_SETUP });
});

/** Fields of the form by the setting that each changes. */
const SIZES = {
  'kunlun-baize/whole': [
    ['Steps', 'steps', 1],
    ['Questions per step', 'questions', 2],
    ['Rollouts per question', 'groupSize', 2],
    ['Rollouts tried', 'warmUp.own.rollouts', 8],
    ['Updates at most', 'warmUp.length.updates', 1],
    ['Demonstrations per update', 'warmUp.batch', 2],
    ['Steps until gold', 'curriculum.system.goldEpochs', 2],
    ['Held-out questions', 'heldOut.questions', 1],
  ],
  'ur2/paper': [
    ['Steps', 'steps', 2],
    ['Questions per step', 'questions', 2],
    ['Rollouts per question', 'groupSize', 2],
    ['Scored by, rollouts', 'curriculum.system.scoringRollouts', 2],
    ['Questions scored', 'curriculum.system.pool', 8],
    ['Held-out questions', 'heldOut.questions', 1],
  ],
} as const;

/** What the field with this label holds. */
const valueOf = (html: string, label: string): string | undefined => {
  const labels = [...html.matchAll(/<label[^>]* for="([^"]*)"[^>]*>(.*?)<\/label>/gs)];
  const id = labels.find(([, , inner = '']) => wordsIn(inner) === label)?.[1];
  const input = new RegExp(`<input[^>]* id="${id}"[^>]*>`).exec(html)?.[0];
  return input && valuesOf(input, 'value')[0];
};

it.each([{ training: 'kunlun-baize/whole' }, { training: 'ur2/paper' }] as const)(
  '$training is chosen, sized and started by one button',
  ({ training }) => {
    chooseTraining(training);
    // As the form does with a recipe whose rollouts read summaries.
    fitSummarizer(training === 'ur2/paper');
    const sizes = SIZES[training];
    for (const [, path, value] of sizes) changeDraft(path, value);
    const html = htmlOf(<NewRun />, useTrain, useTrainForm, useSetup);
    expect(sizes.map(([label]) => [label, valueOf(html, label)])).toEqual(
      sizes.map(([label, , value]) => [label, String(value)]),
    );
    const begin = buttonsIn(html).find(({ name }) => name === 'Start training');
    expect(begin?.disabled).toBe(false);
    const { settings } = checkDraft(useTrainForm.getState().draft);
    expect(settings).toMatchObject({ steps: sizes[0][2], heldOut: { questions: 1 } });
  },
);

it('the form of HRPO has its gates, and where they begin', () => {
  chooseTraining('hrpo/hrpo');
  changeDraft('adapter.gates.rMin', 0.9);
  const html = htmlOf(<NewRun />, useTrain, useTrainForm);
  expect(valueOf(html, 'a from')).toBe('0.9');
  expect(valueOf(html, 'Rate of Λ')).toBe('0.01');
  expect(checkDraft(useTrainForm.getState().draft).settings?.adapter.gates?.rMin).toBe(0.9);
  expect(buttonsIn(html).find(({ name }) => name === 'Start training')?.disabled).toBe(false);
});

describe('a run of KunLunBaizeRAG', () => {
  const some = sumStieCounts([stieCounts([verdict])]);
  if (!some) throw new Error('nothing was judged');
  const stie = { ...some, answers: 7, queries: 3 };
  const router = {
    calls: 4,
    byKind: { bridge: { calls: 4, local: 0.7, reward: 0.2 } },
    latencyMs: { local: 3, web: 40 },
    recallGained: { local: 0.4, web: 0.6 },
    reward: 0.2,
    gradientNorm: 1,
  };
  const step = { ...trainStep(1, 'a'), stie, router };
  const run = runRecord('a', { step: 1, settings: getTraining('kunlun-baize/whole') });

  it('a run of KunLunBaizeRAG has charts of STIE and of its router, and a step says what STIE did', () => {
    useTrain.setState({ runs: [run], steps: { a: [step] } });
    const page = htmlOf(<RunView run={run} step={null} />, useTrain);
    expect(valuesOf(page, 'data-chart')).toEqual(expect.arrayContaining(['stie', 'router']));
    expect(valuesOf(page, 'aria-label')).toEqual(
      expect.arrayContaining(['STIE: clauses that fired', 'Router: π(local)']),
    );
    const plain = htmlOf(<RunView run={runRecord('a', { step: 1 })} step={null} />, useTrain);
    useTrain.setState({ steps: { a: [trainStep(1, 'a')] } });
    expect(
      valuesOf(htmlOf(<RunView run={run} step={null} />, useTrain), 'data-chart'),
    ).not.toContain('stie');
    expect(plain).toContain('data-chart');
    const panel = htmlOf(
      <StepRollouts run={run} step={1} record={step} last={1} select={() => undefined} />,
      useTrain,
    );
    expect(wordsIn(panel)).toMatch(/STIE checked 7 answers/);
  });
});
