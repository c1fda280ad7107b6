import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { QuestionRow } from '../../../src/lab/contract/ask.ts';
import type { RunRequest } from '../../../src/lab/contract/settings.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import { tableOf } from '../../../src/ui/ask/store/training-step.ts';
import { useAsk } from '../../../src/ui/ask/store/ask-store.ts';
import { EMPTY_EVALUATE, useEvaluate } from '../../../src/ui/evaluate/store/evaluate-store.ts';
import { useSession } from '../../../src/ui/kit/session-store.ts';
import { useRollouts } from '../../../src/ui/rollouts/store/rollouts-store.ts';
import { CHAPTER_IDS, openChapter } from '../../../src/ui/tour/tour-actions.ts';
import { CHAPTERS, useDeeds, type Deed } from '../../../src/ui/tour/chapters.ts';
import { NewRun } from '../../../src/ui/train/form/NewRun.tsx';
import {
  changeDraft,
  checkDraft,
  chooseTraining,
  undoReplace,
  useTrainForm,
  editDraft,
} from '../../../src/ui/train/store/train-draft.ts';
import { EMPTY_TRAIN, setTrainApi, useTrain } from '../../../src/ui/train/store/train-store.ts';
import { evaluationRecord } from '../../fixtures/evaluations.ts';
import { emptyRollout } from '../../fixtures/rollouts.ts';
import { runRecord } from '../../fixtures/train-runs.ts';
import { textOf } from '../kit/render.tsx';
import { connectFake, settle, stubPage, type Answers } from '../lab/fake-lab.ts';
import { fileRecord } from '../rollouts/views.ts';

let went: string[] = [];
const go = (path: string): void => void went.push(path);

/** Presses the one button of a chapter. */
const press = async (id: string): Promise<void> => {
  const act = CHAPTERS.find((chapter) => chapter.id === id)?.steps[0]?.act;
  if (!act) throw new Error(`chapter ${id} has nothing to press`);
  await act.run(go);
};

const connect = (answers: Answers = {}) => {
  const fake = connectFake(answers);
  setTrainApi(fake.connection.train);
  return fake;
};

const question: QuestionRow = {
  id: 'dev-1',
  text: 'What is the birth city of Enzo Falsky?',
  split: 'dev',
  hops: 1,
  type: 'bridge',
  localSuffices: true,
  supporting: ['Enzo Falsky'],
};

beforeEach(() => {
  stubPage({ path: '/' });
  went = [];
  useAsk.setState(useAsk.getInitialState(), true);
  useTrain.setState(EMPTY_TRAIN, true);
  useRollouts.setState(useRollouts.getInitialState(), true);
  useEvaluate.setState(EMPTY_EVALUATE, true);
  useSession.setState(useSession.getInitialState(), true);
});

describe('the chapters', () => {
  it('are listed by id, do something first, and end with something to read', () => {
    expect(CHAPTERS.map(({ id }) => id)).toEqual(CHAPTER_IDS);
    for (const { steps } of CHAPTERS) {
      expect(steps.length).toBeGreaterThan(1);
      for (const [i, { act, done }] of steps.entries()) {
        const last = i === steps.length - 1;
        expect([act === undefined, done === undefined]).toEqual([last, last]);
      }
      for (const { text } of steps) expect(text).toMatch(/^[A-Z].{60,}[.”]$/s);
    }
  });
});

describe('asking', () => {
  it('runs an example as soon as the questions of the world are there', async () => {
    const fake = connect();
    const pressed = press('ask');
    await settle();
    expect(went).toEqual(['/ask']);
    expect([...useSession.getState().needed]).toEqual(
      expect.arrayContaining(['sources', 'policy']),
    );
    expect(fake.callsOf('ask.run')).toEqual([]);
    useSession.setState({ questions: [question] });
    await pressed;
    const [[request]] = fake.callsOf('ask.run') as [[RunRequest]];
    expect(request.asked).toEqual({ kind: 'world', id: 'dev-1' });
  });
});

describe('training', () => {
  it('begins a run of ten steps that is scored in its middle, and shows it', async () => {
    const fake = connect({ train: { create: () => Promise.resolve(runRecord('new')) } });
    await press('train');
    const [[settings, name]] = fake.callsOf('train.create') as [[TrainSettings, string]];
    expect(settings.steps).toBe(10);
    expect(settings.heldOut.every).toBeLessThanOrEqual(5);
    expect(name).toContain('10 steps');
    // One that searches already has little to learn in ten steps.
    expect(settings.start).toBe('not-searching');
    expect(went).toEqual(['/train?run=new']);
  });

  it('shows the run that trains already instead of a second one', async () => {
    const fake = connect();
    useTrain.setState({ runs: [runRecord('busy')] });
    await press('train');
    expect([fake.callsOf('train.create'), went]).toEqual([[], ['/train?run=busy']]);
  });

  it('that could not start opens the page with the reason', async () => {
    connect({ train: { create: () => Promise.reject(new Error('no memory')) } });
    await press('train');
    expect(went).toEqual(['/train']);
    expect(useTrain.getState().problem?.text).toContain('no memory');
  });
});

describe('teaching a real model', () => {
  it('fills the training form with a cold start and RL that may be started', async () => {
    const acts = CHAPTERS.find(({ id }) => id === 'real-model')?.steps.map(({ act }) => act) ?? [];
    for (const act of [acts[0], acts[2]]) await act?.run(go);
    expect(went).toEqual(['/models', '/train?new=1']);
    const { settings, errors } = checkDraft(useTrainForm.getState().draft);
    expect(errors).toEqual({});
    expect(settings).toMatchObject({
      preset: 'search/grpo',
      steps: 10,
      groupSize: 6,
      overrides: { retrieval: { k: 2, passageTokens: 100, maxSearches: 4 } },
      adapter: { rank: 16 },
      warmUp: { length: { updates: 88 }, batch: 4, learningRate: 1e-3, heldOut: 0.02 },
      stages: [{ reward: 'posterior-ungated' }],
    });
  });

  it('keeps what was in the form, so that it can be brought back', async () => {
    const [, , fill] = CHAPTERS.find(({ id }) => id === 'real-model')?.steps ?? [];
    useTrainForm.setState(useTrainForm.getInitialState(), true);
    chooseTraining('search-r1/ppo');
    changeDraft('steps', 7);
    editDraft({ name: 'Mine' });
    const before = useTrainForm.getState().draft;
    const replaced = () => textOf(<NewRun />, useTrainForm);
    expect(replaced()).not.toContain('Undo');
    await fill?.act?.run(go);
    // A second click changes nothing, and does not lose the draft before the first.
    await fill?.act?.run(go);
    expect(useTrainForm.getState().draft.changes).not.toEqual(before.changes);
    expect(replaced()).toMatch(/Replaced “Search-R1 · .*, 1 change”\. Undo/);
    undoReplace();
    expect(useTrainForm.getState().draft).toEqual(before);
    expect(replaced()).not.toContain('Undo');
  });

  it('is a chapter that opens by its name', () => {
    openChapter('real-model');
    expect(useSession.getState().tour).toMatchObject({ open: true, chapter: 5, step: 0 });
  });
});

describe('reading and comparing what was trained', () => {
  const runs = [
    runRecord('gone', { status: 'finished', step: 9, deletedAt: '2026-02-01T00:00:00.000Z' }),
    runRecord('begun', { step: 0 }),
    runRecord('made', { status: 'stopped', step: 4 }),
    runRecord('older', { status: 'finished', step: 10 }),
  ];

  it('opens the rollouts of the newest run that has made a step', async () => {
    const file = fileRecord('f');
    const fake = connect({
      rollouts: {
        importRun: () => Promise.resolve({ status: 'ready', file }),
        files: () => Promise.resolve([file]),
      },
    });
    useTrain.setState({ runs });
    await press('read');
    await vi.waitFor(() => expect(went).toEqual(['/rollouts', '/rollouts/f']));
    expect(fake.callsOf('rollouts.importRun').map(([, id]) => id)).toEqual(['made']);
  });

  it('shows its questions before the first step and after the newest', async () => {
    useTrain.setState({ runs });
    await press('before-after');
    expect(went).toEqual(['/train?run=made&from=0&to=newest']);
  });

  it('leads to the pages where there is no run yet', async () => {
    useTrain.setState({ runs: runs.slice(0, 2) });
    await press('read');
    await press('before-after');
    expect(went).toEqual(['/rollouts', '/train']);
  });

  it('compares three systems on 20 questions, or shows the form with the reason', async () => {
    const fake = connect({
      evaluations: { start: () => Promise.resolve(evaluationRecord('e1')) },
    });
    await press('compare');
    expect(fake.callsOf('evaluations.start')[0]).toMatchObject([
      { systems: { length: 3 }, questions: [{ limit: 20 }] },
      'Tour: three systems, 20 questions',
      'auto',
    ]);
    connect({ evaluations: { start: () => Promise.reject(new Error('no policy')) } });
    await press('compare');
    expect(went).toEqual([expect.stringContaining('e1'), '/evaluate?new=1']);
    expect(useEvaluate.getState().problem?.text).toContain('no policy');
  });
});

describe('what a visitor has done', () => {
  const Deeds = () => {
    const deeds = useDeeds();
    return (Object.keys(deeds) as Deed[]).filter((deed) => deeds[deed]).join(' ');
  };
  const done = (): string => textOf(<Deeds />, useAsk, useTrain, useRollouts, useEvaluate);

  it('is nothing at first', () => {
    expect(done()).toBe('');
    // Begun is not done.
    useTrain.setState({ runs: [runRecord('a', { step: 0 })] });
    useEvaluate.setState({ evaluations: [evaluationRecord('e', { done: 0 })] });
    expect(done()).toBe('');
  });

  it('depends on what exists, with or without the tour', () => {
    useAsk.setState({ table: tableOf([emptyRollout('r')]) });
    expect(done()).toBe('asked');
    // What is still being written is not asked yet.
    useAsk.getState().begin({ runId: 'r' } as RunRequest, null);
    useAsk.setState({ table: tableOf([emptyRollout('r')]) });
    expect(done()).toBe('');
    useTrain.setState({ runs: [runRecord('a', { step: 1 })] });
    expect(done()).toBe('trained');
    useRollouts.setState({ files: [fileRecord('f')] });
    useEvaluate.setState({ evaluations: [evaluationRecord('e', { done: 3 })] });
    expect(done()).toBe('trained opened compared');
  });
});
