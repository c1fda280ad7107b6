import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import { useCollections } from '../../../src/ui/corpus/store/collections-store.ts';
import { askQuestionsOf } from '../../../src/ui/setup/search-with.ts';
import { choosePolicy, useSetup } from '../../../src/ui/setup/setup-store.ts';
import { NewRun } from '../../../src/ui/train/form/NewRun.tsx';
import {
  changeDraft,
  chooseTraining,
  resetDraft,
  undoReplace,
  useTrainForm,
} from '../../../src/ui/train/store/train-draft.ts';
import { useTrain } from '../../../src/ui/train/store/train-store.ts';
import { collection } from '../corpus/views.ts';
import { buttonsIn, htmlOf, wordsIn } from '../kit/render.tsx';

const form = (): string => {
  useTrain.setState({ ...useTrain.getInitialState(), status: 'ready' }, true);
  return htmlOf(<NewRun />, useTrain, useTrainForm);
};
const canStart = (html: string): boolean =>
  buttonsIn(html).some(({ name, disabled }) => name === 'Start training' && !disabled);

afterEach(() => {
  vi.unstubAllGlobals();
  resetDraft();
});

it('says beside the button what a browser without files lacks, and what to do', () => {
  vi.stubGlobal('navigator', {});
  const html = form();
  expect(wordsIn(html)).toMatch(
    /Training cannot start: this browser keeps no files for pages.*Open this page in Firefox, Chrome, Edge or Safari/,
  );
  // An estimate would never come.
  expect(wordsIn(html)).not.toContain('in a moment');
  expect(canStart(html)).toBe(false);
});

it.each([
  [
    'kunlun-baize/whole',
    [
      'STIE over answers',
      'STIE over queries',
      'Router sees local coverage',
      'The model’s own tags choose',
    ],
  ],
  [
    'ur2/paper',
    [
      'Task mixing',
      'Draws by task',
      'Parts retrieval QA',
      'Parts arithmetic',
      'Parts multiple choice',
    ],
  ],
  ['tool-star/rounds', ['Likelihood ×', 'Better from', 'Worse up to', 'Rounds']],
  ['web-thinker/dpo', ['fewer calls, then shorter', 'Length ratio', 'Passes', 'Pairs per update']],
  ['ex-search/em', ['Weighed by', 'Gold in place of its answer']],
  ['dto/dpo', ['Likelihood ×', 'An update']],
  ['cir/stages', ['retrieval.maxSearches']],
])(
  'every part of %s that an ablation leaves out, or that its stages set, has its field',
  (training, labels) => {
    chooseTraining(training);
    const words = wordsIn(form());
    for (const label of labels) expect(words).toContain(label);
  },
);

it('a field that does nothing beside the others cannot be changed and says why', () => {
  const advantages = (): string =>
    />Advantages<.*?<select[^>]*>/s.exec(form())?.[0].match(/<select[^>]*>/)?.[0] ?? '';
  chooseTraining('corag/sft');
  expect(advantages()).toContain('disabled=""');
  expect(wordsIn(form())).toContain(
    'Does nothing: every stage learns by supervision, without advantages.',
  );
  chooseTraining('search/grpo');
  expect(advantages()).toContain('<select');
  expect(advantages()).not.toContain('disabled=""');
  expect(wordsIn(form())).not.toContain('Does nothing');
});

it('a critic is chosen where estimators are, and has its fields there', () => {
  chooseTraining('search-r1/ppo');
  expect(wordsIn(form())).toContain('advantages by a critic (PPO), micro-batch-mean');
  expect(wordsIn(form())).toContain('λ of GAE');
  changeDraft('objective.estimator', 'grpo');
  expect(wordsIn(form())).not.toContain('λ of GAE');
});

it('a switch that nobody touched shows what holds without it', () => {
  chooseTraining('kunlun-baize/whole');
  const isOn = (): boolean => {
    const html = form();
    const [, id] =
      /<label[^>]* for="([^"]*)"[^>]*>(?:<[^>]*>)*STIE(?:<[^>]*>)* over answers</.exec(html) ?? [];
    const [box] = new RegExp(`<input[^>]* id="${id}"[^>]*>`).exec(html) ?? [];
    return / checked=""/.test(box ?? '');
  };
  expect(isOn()).toBe(true);
  changeDraft('overrides.stie.overAnswers', false);
  expect(isOn()).toBe(false);
});

it('starts where it keeps files', () => {
  vi.stubGlobal('navigator', { storage: {} });
  const html = form();
  expect(wordsIn(html)).not.toContain('cannot start');
  expect(canStart(html)).toBe(true);
});

it('opens what the acronyms of its reward and its adapter mean', () => {
  chooseTraining('kunlun-baize/whole');
  const names = buttonsIn(form()).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['LoRA', 'R_fmt', 'R_len', 'R_acc']));
});

describe('on questions of one’s own a warm-up on own rollouts', () => {
  const warning = /The cold start learns from the model’s own correct answers/;
  const shown = () => {
    useTrain.setState({ ...useTrain.getInitialState(), status: 'ready' }, true);
    return wordsIn(htmlOf(<NewRun />, useTrain, useTrainForm, useSetup, useCollections));
  };
  beforeEach(() => chooseTraining('kunlun-baize/whole'));
  afterEach(() => useSetup.setState({ setup: BUILT_IN_SETUP }));

  it('may find the built-in policy without a right one, which is said beforehand', () => {
    expect(shown()).not.toMatch(warning);
    askQuestionsOf(['rivers']);
    useCollections.setState({ collections: [collection('rivers', { questions: 60 })] });
    expect(shown()).toMatch(warning);
    // The button leaves it out.
    changeDraft('warmUp', null);
    expect(shown()).not.toMatch(warning);
  });

  it('of another policy is not doubted', () => {
    askQuestionsOf(['rivers']);
    useCollections.setState({ collections: [collection('rivers', { questions: 60 })] });
    choosePolicy({ kind: 'checkpoint', id: 'c' });
    expect(shown()).not.toMatch(warning);
  });
});

describe('a draft that is replaced', () => {
  beforeEach(() => {
    useTrainForm.setState(useTrainForm.getInitialState(), true);
  });

  it('comes back after another recipe, or its own values, took its changes', () => {
    for (const replace of [() => chooseTraining('hrpo/hrpo'), resetDraft]) {
      chooseTraining('search-r1/ppo');
      changeDraft('objective.kl.coefficient', 0.5);
      const before = useTrainForm.getState().draft;
      replace();
      expect(useTrainForm.getState().draft.changes).toEqual({});
      undoReplace();
      expect(useTrainForm.getState().draft).toEqual(before);
    }
  });

  it('is not offered where nothing was lost', () => {
    chooseTraining('search-r1/ppo');
    changeDraft('seed', 5);
    chooseTraining('hrpo/hrpo');
    expect(useTrainForm.getState().draft.changes).toEqual({ seed: 5 });
    expect(useTrainForm.getState().replaced).toBeNull();
  });
});
