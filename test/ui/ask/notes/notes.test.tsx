import { beforeEach, describe, expect, it } from 'vitest';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';
import type { Rollout } from '../../../../src/records/rollout.ts';
import { DEFAULT_SETTINGS } from '../../../../src/lab/contract/settings.ts';
import {
  ColourSwitch,
  LinkedStepNote,
  SourceNote,
} from '../../../../src/ui/ask/notes/FromTraining.tsx';
import { LinkedSetupNote } from '../../../../src/ui/ask/notes/LinkedSetupNote.tsx';
import { searchTroubles } from '../../../../src/ui/ask/notes/search-troubles.ts';
import { SearchTrouble } from '../../../../src/ui/ask/notes/SearchTrouble.tsx';
import { UnknownNames } from '../../../../src/ui/ask/notes/UnknownNames.tsx';
import { parseAddress } from '../../../../src/ui/ask/store/permalink.ts';
import { tableOf, setLinkedStep } from '../../../../src/ui/ask/store/training-step.ts';
import { useAsk, type LinkedSetup } from '../../../../src/ui/ask/store/ask-store.ts';
import { emptyRollout } from '../../../fixtures/rollouts.ts';
import { fault } from '../../kit/events/every-event.ts';
import { buttonsIn, htmlOf, linksIn, rowsIn, textOf, wordsIn } from '../../kit/render.tsx';

const failing = (id: string, ...messages: string[]): Rollout => ({
  ...emptyRollout(id),
  events: messages.map((message) => ({ ...fault, message })),
});

const WEB = 'search of web failed: no answer';
const LOCAL = 'search of local failed: no index';

const show = (rollouts: Rollout[], web = BUILT_IN_SETUP.web): string => {
  useAsk.setState({
    ...useAsk.getInitialState(),
    table: tableOf(rollouts),
    request: {
      runId: 'r',
      asked: { kind: 'world', id: 'q' },
      settings: DEFAULT_SETTINGS,
      setup: { ...BUILT_IN_SETUP, web },
    },
  });
  return htmlOf(<SearchTrouble />, useAsk);
};

beforeEach(() => {
  useAsk.setState(useAsk.getInitialState(), true);
});

const linkedSetupIs = (change: Partial<LinkedSetup>): void =>
  useAsk.setState(({ linkedSetup }) => ({ linkedSetup: { ...linkedSetup, ...change } }));

describe('searches that failed', () => {
  it('are counted by what was said, most frequent first; what was cancelled did not fail', () => {
    const cancelled = { ...emptyRollout('c'), events: [{ ...fault, what: 'malformed' as const }] };
    expect(searchTroubles([failing('a', LOCAL, WEB), failing('b', WEB), cancelled])).toEqual({
      count: 3,
      ofWeb: true,
      reasons: [
        { text: WEB, times: 2 },
        { text: LOCAL, times: 1 },
      ],
    });
    expect(searchTroubles([failing('a', 'search of both failed: x')]).ofWeb).toBe(true);
    expect(searchTroubles([failing('a', 'search of website')]).ofWeb).toBe(false);
  });

  it('say nothing while none did', () => {
    expect(wordsIn(show([emptyRollout('a')]))).toBe('');
  });

  it('of a custom web source name the server, and what to do', () => {
    const html = show([failing('a', WEB, WEB)], {
      kind: 'searxng',
      url: 'http://localhost:8080/x',
    });
    expect(wordsIn(html)).toContain('⚠ 2 faults while searching.');
    expect(wordsIn(html)).toContain(`${WEB} ×2`);
    expect(wordsIn(html)).toContain(
      'Check that the server at localhost:8080 runs and test the connection',
    );
    expect(linksIn(html)).toEqual([{ name: 'test the connection', href: '/corpus#web-source' }]);
    expect(buttonsIn(html).map(({ name }) => name)).toEqual([
      'run again',
      'run with the built-in web',
    ]);
  });

  it('of anything else offer to run again, once nothing runs', () => {
    const html = show([failing('a', LOCAL)], { kind: 'searxng', url: 'http://localhost:8080/x' });
    expect(wordsIn(html)).toContain('⚠ 1 fault while searching.');
    expect(wordsIn(html)).toContain('Once it works, run again.');
    expect(buttonsIn(html)).toMatchObject([{ name: 'run again', disabled: false }]);
    useAsk.setState({
      run: { runId: 'r', status: 'running', tokens: 0, tokensPerSecond: 0, failure: null },
    });
    expect(buttonsIn(htmlOf(<SearchTrouble />, useAsk))).toMatchObject([{ disabled: true }]);
  });
});

it('says which names of the question no passage mentions', () => {
  expect(textOf(<UnknownNames />, useAsk)).toBe('');
  useAsk.setState({ unknownNames: ['Atlantis'] });
  expect(textOf(<UnknownNames />, useAsk)).toContain('Atlantis');
});

describe('rollouts of training', () => {
  it('say where they come from, and lead back', () => {
    expect(textOf(<SourceNote />, useAsk)).toBe('');
    useAsk.setState({
      source: { runId: 'a b', name: 'mine', step: 3, group: 'g', setup: BUILT_IN_SETUP },
    });
    const html = htmlOf(<SourceNote />, useAsk);
    expect(wordsIn(html)).toContain('Training rollouts: “mine”, step 3, best reward first.');
    expect(linksIn(html)).toEqual([{ name: 'Back to the step', href: '/train?run=a+b&step=3' }]);
  });

  it('can be coloured by advantage only where they have one', () => {
    expect(textOf(<ColourSwitch />, useAsk)).toBe('');
    useAsk.setState({ table: tableOf([{ ...emptyRollout('a'), advantage: 0 }]) });
    expect(textOf(<ColourSwitch />, useAsk)).toBe('Colour by writer');
    useAsk.setState({ colourBy: 'writer' });
    expect(textOf(<ColourSwitch />, useAsk)).toBe('Colour by advantage');
  });

  it('that an address names are read, or it is said why not and where to look', () => {
    expect(textOf(<LinkedStepNote />, useAsk)).toBe('');
    setLinkedStep(true);
    expect(textOf(<LinkedStepNote />, useAsk)).toBe('Loading the rollouts of the step …');
    setLinkedStep(false, 'They were deleted.');
    const html = htmlOf(<LinkedStepNote />, useAsk);
    expect(wordsIn(html)).toContain('They were deleted. See the runs that are here');
    expect(linksIn(html)).toEqual([{ name: 'See the runs that are here', href: '/runs' }]);
    expect(buttonsIn(html).map(({ name }) => name)).toEqual(['Dismiss']);
  });
});

describe('an address that works with something else', () => {
  const differs = (search: string, missing: string[] = []): string => {
    useAsk.setState({ address: parseAddress(search).address });
    linkedSetupIs({ status: 'differs', own: {}, missing });
    return htmlOf(<LinkedSetupNote />, useAsk);
  };
  const JUDGED = `?q=a&with=${encodeURIComponent('{"judge":{"k":"webllm","n":"Llama"},"web":{"kind":"searxng","url":"http://a.b/s"}}')}`;

  it('says nothing where it does not, and that it looks while it looks', () => {
    linkedSetupIs({ status: 'same' });
    expect(textOf(<LinkedSetupNote />, useAsk)).toBe('');
    linkedSetupIs({ status: 'checking' });
    expect(textOf(<LinkedSetupNote />, useAsk)).toContain('Checking whether this device has');
  });

  it('shows only the parts that differ, and lets one choose', () => {
    const html = differs(JUDGED);
    expect(rowsIn(html)).toEqual([
      ['part', 'in the link', 'chosen here'],
      ['web', 'searxng at http://a.b/s', 'built-in web'],
      ['judge', 'Llama', 'off'],
    ]);
    expect(buttonsIn(html).map(({ name }) => name)).toEqual([
      'Use the link’s',
      'Keep what is chosen here',
    ]);
    expect(buttonsIn(differs(`${JUDGED}&run=1`)).map(({ name }) => name)).toEqual([
      'Use the link’s and run',
      'Keep what is chosen here and run',
    ]);
  });

  it('says what is not here, with what to do', () => {
    const html = differs(JUDGED, ['the checkpoint “x”: add it on Models']);
    expect(wordsIn(html)).toContain('⚠ Not on this device: the checkpoint “x”: add it on Models');
    expect(buttonsIn(html)[0]?.name).toBe('Use the parts that are here');
  });

  it('of the same names with other contents says so', () => {
    expect(wordsIn(differs('?q=a'))).toContain('The names are the same, but the contents differ.');
  });
});
