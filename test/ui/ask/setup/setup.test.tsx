import { beforeEach, describe, expect, it } from 'vitest';
import { BUILT_IN_SETUP, NO_RESOURCES } from '../../../../src/records/setup.ts';
import type { QuestionRow } from '../../../../src/lab/contract/ask.ts';
import { QuestionHeader } from '../../../../src/ui/ask/QuestionHeader.tsx';
import { QuestionPicker } from '../../../../src/ui/ask/setup/QuestionPicker.tsx';
import { SettingsForm } from '../../../../src/ui/ask/setup/SettingsForm.tsx';
import { Setup } from '../../../../src/ui/ask/setup/Setup.tsx';
import { parseAddress } from '../../../../src/ui/ask/store/permalink.ts';
import { useAsk } from '../../../../src/ui/ask/store/ask-store.ts';
import { Welcome } from '../../../../src/ui/ask/Welcome.tsx';
import { useCollections } from '../../../../src/ui/corpus/store/collections-store.ts';
import { useSession } from '../../../../src/ui/kit/session-store.ts';
import { useSetup, choosePolicy } from '../../../../src/ui/setup/setup-store.ts';
import { WorksWith } from '../../../../src/ui/setup/form/WorksWith.tsx';
import { askQuestionsOf, searchCollections } from '../../../../src/ui/setup/search-with.ts';
import { collection } from '../../corpus/views.ts';
import { getRecipe } from '../../../../src/systems/index.ts';
import { buttonsIn, htmlOf, linksIn, textOf, valuesOf, wordsIn } from '../../kit/render.tsx';

const row: QuestionRow = {
  id: 'q',
  text: 'Who?',
  split: 'test',
  hops: 2,
  type: 'bridge',
  localSuffices: false,
  supporting: [],
};
const open = (search: string): void => useAsk.setState({ address: parseAddress(search).address });
const part = useSession.getInitialState().parts.world;
const running = {
  runId: 'r',
  status: 'running',
  tokens: 0,
  tokensPerSecond: 0,
  failure: null,
} as const;

beforeEach(() => {
  useAsk.setState(useAsk.getInitialState(), true);
  useSession.setState(useSession.getInitialState(), true);
  useCollections.setState(useCollections.getInitialState(), true);
  useSetup.setState({ setup: BUILT_IN_SETUP });
  useSetup.setState({ resources: NO_RESOURCES });
});

describe('the button that runs', () => {
  // The last one of the setup.
  const button = () => buttonsIn(htmlOf(<Setup />, useAsk, useSession, useSetup)).at(-1);

  it('says when it will run, and cannot be pressed for an empty question', () => {
    expect(button()).toMatchObject({ name: 'Run when loaded', disabled: false });
    const ready = { ...part, status: 'ready' as const };
    useSession.setState({ parts: { world: ready, retrieval: ready, policy: ready } });
    expect(button()).toMatchObject({ name: 'Run', disabled: false });
    useAsk.getState().setAddress({ asked: { kind: 'typed', text: ' ' } });
    expect(button()).toMatchObject({ name: 'Run', disabled: true });
    useAsk.setState({ run: running });
    expect(button()).toMatchObject({ name: 'Cancel (Esc)', disabled: false });
  });
});

describe('a first visit', () => {
  const welcome = () => htmlOf(<Welcome />, useAsk, useSession);

  it('says in one sentence why this matters, and offers to ask and to train', () => {
    const html = welcome();
    expect(wordsIn(html)).toContain(
      'Large language models learn to search by reinforcement learning',
    );
    expect(buttonsIn(html).map(({ name }) => name)).toEqual([
      'Watch it answer',
      'Train it (2 min)',
      'Choose or type another question',
      'take the tour',
    ]);
    expect(html).not.toContain('It starts as soon as');
    open('?q=a');
    expect(buttonsIn(welcome())[0]?.name).toBe('Run this question');
    useAsk.setState({ runRequested: true });
    expect(wordsIn(welcome())).toContain('It starts as soon as everything is loaded.');
  });
});

describe('custom questions and passages', () => {
  const note = (): string =>
    wordsIn(htmlOf(<Welcome />, useAsk, useSession, useSetup)).includes(
      'The built-in model knows only the built-in world',
    )
      ? 'said'
      : 'not said';

  it('come with a warning for the built-in policy only', () => {
    // Beside the open setup, which says it itself, it is not said twice.
    useAsk.setState({ setupOpen: false });
    expect(note()).toBe('not said');
    searchCollections(['mine']);
    expect(note()).toBe('said');
    choosePolicy({ kind: 'checkpoint', id: 'other' });
    expect(note()).toBe('not said');
    choosePolicy({ kind: 'built-in' });
    expect(note()).toBe('said');
    searchCollections([]);
    expect(note()).toBe('not said');
    askQuestionsOf(['mine']);
    expect(note()).toBe('said');
    // An adapter may have been trained on them.
    open('?policy=r1@2');
    expect(note()).toBe('not said');
  });
});

describe('the list of questions', () => {
  const picker = () => htmlOf(<QuestionPicker askOwn={() => undefined} />, useSession, useAsk);

  it('says why it is empty', () => {
    expect(wordsIn(picker())).toContain('The questions appear here in a moment.');
    useSession.setState({
      parts: { world: { ...part, status: 'failed' }, retrieval: part, policy: part },
    });
    expect(wordsIn(picker())).toContain('could not be loaded; see the message above');
    useSession.setState({ questionsProblem: 'no such collection' });
    expect(wordsIn(picker())).toContain('The questions could not be read: no such collection');
  });

  it('counts what matches, and offers the splits that there are', () => {
    useSession.setState({ questions: [row, { ...row, id: 'r', split: 'train' }] });
    const html = picker();
    expect(wordsIn(html)).toContain('2 of 2 questions');
    expect(wordsIn(html)).toContain('any split test train');
    expect(valuesOf(html, 'aria-label')).toEqual(
      expect.arrayContaining(['Search the questions', 'Hops', 'Type', 'Source needed', 'Split']),
    );
  });
});

describe('the settings', () => {
  const form = () => htmlOf(<SettingsForm />, useAsk, useSetup);

  it('show in brackets what the recipe does by itself, and count what was changed', () => {
    expect(wordsIn(form())).toContain('RDRA, STIE, NLR: as in the recipe');
    open('?recipe=search&stie=paper&k=5');
    const html = form();
    expect(wordsIn(html)).toContain('RDRA, STIE, NLR · 2 set by you');
    expect(html).toContain('<details class="mechanisms" open="">');
    expect(html).toContain('<option value="paper" selected="">paper</option>');
  });

  it('say what the printed reward does, where a router would learn from it', () => {
    open('?nlr=router&reward=paper');
    expect(wordsIn(form())).toContain('The reward as printed ignores the question');
    open('?nlr=router&reward=measured');
    expect(wordsIn(form())).not.toContain('The reward as printed');
    open('?nlr=both&reward=paper');
    expect(wordsIn(form())).not.toContain('The reward as printed');
  });

  it('say in a sentence, with its paper, what the recipe is', () => {
    open('?recipe=search-r1');
    const html = form();
    const { summary, about } = getRecipe('search-r1');
    expect(wordsIn(html)).toContain(`${summary} arXiv ${about?.paper}`);
    expect(linksIn(html).map(({ href }) => href)).toContain(
      `https://arxiv.org/abs/${about?.paper}`,
    );
  });

  it('search only a custom corpus, unless something else is set', () => {
    useSetup.setState({ setup: { ...BUILT_IN_SETUP, source: 'local' } });
    expect(wordsIn(form())).toContain('(always-local)');
  });
});

describe('what the next run works with', () => {
  const works = () => htmlOf(<WorksWith />, useSetup, useCollections);

  it('is folded while everything is built in, and names what is not', () => {
    expect(wordsIn(works())).toContain('Model and data · built in');
    useSetup.setState({
      setup: {
        ...BUILT_IN_SETUP,
        local: {
          kind: 'collections',
          ids: ['a'],
          method: 'lexical',
          encoder: 'built-in',
          reranker: null,
        },
        web: { kind: 'searxng', url: 'http://localhost:8080/' },
        judge: { kind: 'model', policy: { kind: 'checkpoint', id: 'x' } },
      },
    });
    const html = works();
    expect(wordsIn(html)).toContain('Model and data · passages, web, judge');
    expect(wordsIn(html)).toContain('Web: SearXNG at localhost:8080.');
    // What was deleted is still named, so that one sees why nothing comes of it.
    expect(wordsIn(html)).toContain('deleted collection');
    expect(wordsIn(html)).toContain('x (deleted)');
  });

  it('offers collections only for what they hold', () => {
    useCollections.setState({
      status: 'ready',
      collections: [
        collection('p', { name: 'Only passages', questions: 0 }),
        collection('q', { name: 'Only questions', passages: 0 }),
      ],
    });
    const html = works();
    const select = (label: string) =>
      wordsIn(html.slice(html.indexOf(`>${label}`)).split('</select>')[0] ?? '');
    expect(select('Questions')).toContain('Only questions');
    expect(select('Questions')).not.toContain('Only passages');
    expect(select('Local passages')).toContain('Only passages');
  });
});

describe('the question of a run', () => {
  const head = (): string => textOf(<QuestionHeader>{null}</QuestionHeader>, useAsk, useSession);
  const asked = { runId: 'r', settings: parseAddress('').address.settings, setup: BUILT_IN_SETUP };

  it('is shown with its gold, its chain and its sources', () => {
    useAsk.setState({
      request: { ...asked, asked: { kind: 'world', id: 'q' } },
      question: {
        id: 'q',
        text: 'Where was the founder born?',
        answers: ['Borfield', 'Borf'],
        supporting: [],
        type: 'bridge',
        hops: 1,
        localSuffices: false,
        chain: [
          {
            subject: 'Old Wolf',
            relation: 'company.foundedBy',
            object: 'Kerlund',
            title: 'Old Wolf',
            passageId: 'p',
            query: '',
          },
        ],
      },
    });
    expect(head()).toContain('Where was the founder born?');
    expect(head()).toContain('bridge1 hop needs web');
    expect(head()).not.toContain('Borf');
    useAsk.setState({ moreOpen: true });
    expect(head()).toContain(
      'gold Borfield / Borfbridge1 hop needs web Old Wolf founded by → Kerlund',
    );
    // Gold comes after the answer.
    useAsk.setState({ replay: 1 });
    expect(head()).not.toContain('Borf');
  });

  it('that was typed has none, and says so', () => {
    useAsk.setState({ request: { ...asked, asked: { kind: 'typed', text: '<b>Who?</b>' } } });
    expect(head()).toBe('<b>Who?</b> Your own question: no reference answer, so no score.');
  });

  it('is taken from the list until its gold is there, and named where it is in no list', () => {
    useAsk.setState({ request: { ...asked, asked: { kind: 'world', id: 'q' } } });
    expect(head()).toBe('Loading …');
    useSession.setState({ questions: [row] });
    expect(head()).toBe('Who?');
    useSession.setState({ questions: [] });
    useAsk.setState({ run: { ...running, status: 'failed' } });
    expect(head()).toBe('Question q');
  });
});
