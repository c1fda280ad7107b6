import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createCommands,
  hearsKeys,
  isAvailable,
  keyName,
  type Command,
} from '../../../src/ui/shell/commands.ts';
import { closeDialog, toggleDialog, useSession } from '../../../src/ui/kit/session-store.ts';
import { tableOf } from '../../../src/ui/ask/store/training-step.ts';
import { useAsk } from '../../../src/ui/ask/store/ask-store.ts';
import { RAIL } from '../../../src/ui/shell/places.tsx';
import { READER_KEYS } from '../../../src/ui/rollouts/reader/use-reader-keys.ts';
import { startSearch } from '../../../src/ui/rollouts/search/search-actions.ts';
import { setTrainApi, useTrain } from '../../../src/ui/train/store/train-store.ts';
import { emptyRollout, search } from '../../fixtures/rollouts.ts';
import { runRecord } from '../../fixtures/train-runs.ts';
import { connectFake, settle, stubPage } from '../lab/fake-lab.ts';
import { selection } from '../rollouts/views.ts';
import { useRollouts } from '../../../src/ui/rollouts/store/rollouts-store.ts';

let went: string[] = [];
let themes = 0;
let commands: Command[] = [];

const named = (name: RegExp): Command => {
  const found = commands.find((command) => name.test(command.name));
  if (!found) throw new Error(`no command is called ${name}`);
  return found;
};

/** What may be heard by key on a page. */
const at = (path: string): Command[] =>
  commands.filter(({ when, keysWhen }) => (when?.(path) ?? true) && (keysWhen?.(path) ?? true));

const offered = (path: string): string[] => {
  stubPage({ path });
  return commands.filter((command) => isAvailable(command, path)).map(({ name }) => name);
};

beforeEach(() => {
  stubPage({ path: '/ask' });
  went = [];
  themes = 0;
  commands = createCommands({ go: (path) => went.push(path), toggleTheme: () => themes++ });
  useAsk.setState(
    {
      ...useAsk.getInitialState(),
      table: tableOf([{ ...emptyRollout('r'), events: [search(1), search(2)] }]),
    },
    true,
  );
  useTrain.setState(useTrain.getInitialState(), true);
  useSession.setState({ dialog: null });
  useRollouts.setState(useRollouts.getInitialState(), true);
});

describe('the commands', () => {
  it.each([
    '/',
    '/ask',
    '/train',
    '/runs',
    '/corpus',
    '/models',
    '/rollouts',
    '/rollouts/f',
    '/rollouts/f/r',
  ])('of %s have names and keys of their own', (path) => {
    const here = at(path);
    const names = here.map(({ name }) => name);
    const keys = here.flatMap((command) => command.keys);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('are offered where they mean something', () => {
    const names = (path: string) => at(path).map(({ name }) => name);
    expect(names('/ask')).not.toContain('Bookmark the rollout');
    expect(names('/rollouts/f')).toContain('Bookmark the rollout');
    expect(names('/rollouts/f/r')).not.toContain('Bookmark the rollout');
    expect(names('/ask')).toContain('New training run');
    expect(names('/rollouts/f')).not.toContain('New training run');
  });

  it('are offered by ⌘K where they can be done', () => {
    expect(offered('/ask')).toEqual(expect.arrayContaining(['Run', 'Play or pause']));
    // A page without rollouts beside each other has nothing to play, and no panels.
    const cannot =
      /^(Run$|Cancel|Next|Previous|First event|Last event|Play|Show or hide|Search the)/;
    for (const path of ['/models', '/train', '/rollouts/f/r'])
      expect(offered(path).filter((name) => cannot.test(name))).toEqual([]);
    expect(offered('/models')).not.toContain('Bookmark the rollout');
    // Its key is the reader's there.
    expect(offered('/rollouts/f/r')).toContain('New training run');
    useAsk.setState({ table: tableOf([]) });
    expect(offered('/ask')).not.toContain('Play or pause');
  });

  it('leave the browser the keys that scroll, where there is nothing to play', () => {
    const keys = (path: string) =>
      commands.filter((command) => hearsKeys(command, path)).flatMap((command) => command.keys);
    const scrolling = ['ArrowLeft', 'ArrowRight', 'Home', 'End', ' '];
    expect(keys('/ask')).toEqual(expect.arrayContaining(scrolling));
    for (const path of ['/runs', '/corpus', '/models', '/evaluate'])
      expect(keys(path).filter((key) => scrolling.includes(key))).toEqual([]);
  });

  it('go to every place by its letter', () => {
    for (const { letter, path } of RAIL) {
      went = [];
      commands.find(({ keys }) => keys.includes(`g ${letter}`))?.act();
      expect(went).toEqual([path]);
    }
  });

  it('are written as the keys are', () => {
    expect(['ArrowLeft', 'Escape', ' ', 'g t'].map(keyName)).toEqual(['←', 'Esc', 'space', 'g t']);
  });
});

describe('Escape does the nearest thing', () => {
  const escape = () => named(/^Cancel the run/).act();

  it('ends a search of all rollouts first, and a parallel run the next time', async () => {
    const fake = connectFake({ rollouts: { searchAll: () => new Promise(() => undefined) } });
    useAsk.setState({
      run: { runId: 'r', status: 'running', tokens: 0, tokensPerSecond: 0, failure: null },
    });
    void startSearch('fox', '');
    await settle();
    escape();
    expect(useRollouts.getState().search.status).toBe('stopped');
    expect(fake.callsOf('ask.cancel')).toEqual([]);
    escape();
    expect(fake.callsOf('ask.cancel')).toEqual([[]]);
  });

  it('ends the run first', () => {
    const fake = connectFake();
    useAsk.setState({
      run: { runId: 'r', status: 'running', tokens: 0, tokensPerSecond: 0, failure: null },
    });
    useAsk.getState().setAddress({ step: 1 });
    escape();
    expect(fake.callsOf('ask.cancel')).toEqual([[]]);
    expect(useAsk.getState().address.step).toBe(1);
  });

  it('then leaves playback, then what is selected', () => {
    named(/^Last event$/).act();
    expect(useAsk.getState().address.step).toBe(1);
    escape();
    expect(useAsk.getState().address.step).toBeNull();
    expect(useAsk.getState().selection).not.toBeNull();
    escape();
    expect(useAsk.getState().selection).toBeNull();
  });

  it('closes the step of a training run, and nothing where none is open', () => {
    stubPage({ path: '/train', search: '?run=a&step=4' });
    escape();
    stubPage({ path: '/train', search: '?run=a' });
    escape();
    expect(went).toEqual(['/train?run=a']);
  });
});

describe('training by command', () => {
  const connect = () => {
    const fake = connectFake();
    setTrainApi(fake.connection.train);
    return fake;
  };

  it('pauses and stops the run that trains, and no other', () => {
    const fake = connect();
    named(/^Pause training$/).act();
    expect(fake.callsOf('train.pause')).toEqual([]);
    useTrain.setState({ runs: [runRecord('old', { status: 'paused' }), runRecord('a')] });
    named(/^Pause training$/).act();
    named(/^Stop training/).act();
    expect(fake.callsOf('train.pause')).toEqual([['a']]);
    expect(fake.callsOf('train.stop')).toEqual([['a', true]]);
  });

  it('resumes the newest run that has steps left', () => {
    const fake = connect();
    const { steps } = runRecord('x').settings;
    useTrain.setState({
      runs: [
        runRecord('done', { status: 'finished', step: steps }),
        runRecord('gone', { status: 'paused', deletedAt: '2026-01-02' }),
        runRecord('mine', { status: 'paused', step: 1 }),
        runRecord('older', { status: 'paused' }),
      ],
    });
    named(/^Resume the newest run$/).act();
    expect(went).toEqual(['/train?run=mine']);
    expect(fake.callsOf('train.resume')).toEqual([['mine', undefined, undefined]]);
    useTrain.setState({ runs: [] });
    named(/^Resume the newest run$/).act();
    expect(went).toHaveLength(1);
  });
});

describe('the view by command', () => {
  it('shows and hides panels and dialogs, one dialog at a time', () => {
    const { setupOpen, detailsOpen } = useAsk.getState();
    named(/hide the setup$/).act();
    named(/hide the details$/).act();
    expect(useAsk.getState()).toMatchObject({ setupOpen: !setupOpen, detailsOpen: !detailsOpen });
    named(/^All commands$/).act();
    named(/^Keys and words$/).act();
    expect(useSession.getState().dialog).toBe('keys');
    toggleDialog('keys');
    expect(useSession.getState().dialog).toBeNull();
    toggleDialog('palette');
    closeDialog();
    expect(useSession.getState().dialog).toBeNull();
    named(/^Theme: light or dark$/).act();
    expect(themes).toBe(1);
  });

  it('opens the setup for a search of the questions, and puts the cursor there', () => {
    useAsk.setState({ setupOpen: false });
    const focus = vi.fn();
    vi.stubGlobal('document', {
      getElementById: (id: string) => (id === 'question-search' ? { focus } : null),
    });
    named(/^Search the questions$/).act();
    expect(useAsk.getState().setupOpen).toBe(true);
    expect(focus).toHaveBeenCalledOnce();
  });
});

describe('the table of rollouts by command', () => {
  it('groups by question, or takes the groups away, and keeps the rest of the address', () => {
    useRollouts.setState({ ...useRollouts.getInitialState(), fileId: 'f' });
    stubPage({ path: '/rollouts/f', search: '?filter=em+%3D+0' });
    named(/^Group by question/).act();
    stubPage({ path: '/rollouts/f', search: '?filter=em+%3D+0&group=step' });
    named(/^Group by question/).act();
    expect(went).toEqual([
      '/rollouts/f?filter=em+%3D+0&group=question',
      '/rollouts/f?filter=em+%3D+0',
    ]);
  });

  it('opens notes on the first row where none is chosen yet, and closes them', () => {
    useRollouts.setState({ ...useRollouts.getInitialState(), selected: selection(4, 2) });
    named(/^Tags and note/).act();
    expect(useRollouts.getState()).toMatchObject({ cursor: 4, notesOpen: true });
    named(/^Next rollout of the table$/).act();
    named(/^Tags and note/).act();
    expect(useRollouts.getState()).toMatchObject({ cursor: 2, notesOpen: false });
    named(/^Previous rollout of the table$/).act();
    expect(useRollouts.getState().cursor).toBe(4);
  });
});

it('lists every key of the reader once', () => {
  const keys = READER_KEYS.map(([key]) => key);
  expect(new Set(keys).size).toBe(keys.length);
});
