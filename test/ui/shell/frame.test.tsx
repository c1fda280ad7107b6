import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { PartState } from '../../../src/lab/contract/progress.ts';
import { useAsk } from '../../../src/ui/ask/store/ask-store.ts';
import { tableOf } from '../../../src/ui/ask/store/training-step.ts';
import { useSession } from '../../../src/ui/kit/session-store.ts';
import { keepForOffline } from '../../../src/ui/lab/offline.ts';
import { RAIL } from '../../../src/ui/shell/places.tsx';
import NowherePage from '../../../src/ui/shell/NowherePage.tsx';
import { Rail } from '../../../src/ui/shell/App.tsx';
import { TopBar } from '../../../src/ui/shell/TopBar.tsx';
import { StatusBar } from '../../../src/ui/shell/StatusBar.tsx';
import { useTrain } from '../../../src/ui/train/store/train-store.ts';
import { emptyRollout } from '../../fixtures/rollouts.ts';
import { runRecord } from '../../fixtures/train-runs.ts';
import { buttonsIn, htmlOf, htmlOfAt, linksIn, valuesOf, wordsIn } from '../kit/render.tsx';
import { IDLE } from '../../fixtures/activity.ts';

const bar = () => htmlOf(<StatusBar />, useSession, useAsk, useTrain);

/** The words of one cell of the bar. */
const cell = (name: string): string => {
  const html = bar();
  return wordsIn(
    (html.split(`data-testid="${name}"`)[1] ?? '<').split('</span>')[0]?.replace(/^[^>]*>/, '') ??
      '',
  );
};

const ready: PartState = {
  status: 'ready',
  note: '',
  loadedBytes: 0,
  totalBytes: 0,
  failure: null,
};
const running = {
  runId: 'r',
  status: 'running',
  tokens: 9,
  tokensPerSecond: 0,
  failure: null,
} as const;

beforeEach(() => {
  useSession.setState(useSession.getInitialState(), true);
  useAsk.setState(useAsk.getInitialState(), true);
  useTrain.setState(useTrain.getInitialState(), true);
});

describe('the status bar', () => {
  it('says what is not there yet', () => {
    useSession.setState({ needed: new Set(['policy', 'sources']) });
    expect(cell('policy')).toBe('model: waiting');
    expect(wordsIn(bar())).toContain('loading world, retrieval, model');
    expect(cell('run-status')).toBe('idle');
  });

  it('does not say that something loads which no page needs, and says once that nothing is there', () => {
    expect(wordsIn(bar())).toMatch(/^nothing loaded yet ?idle/);
    expect(wordsIn(bar())).not.toContain('loading');
    useSession.setState({ needed: new Set(['sources']) });
    expect(wordsIn(bar())).toContain('loading world, retrieval');
    expect(wordsIn(bar())).not.toContain('policy');
    const { parts } = useSession.getState();
    useSession.setState({
      parts: { ...parts, world: ready, retrieval: ready },
      sources: { localPassages: 1200, webPassages: 30_000, web: null, memory: null },
    });
    expect(wordsIn(bar())).toContain('1,200 local + 30,000 web passages');
  });

  it('says what is loaded, and what failed before that', () => {
    const parts = { world: ready, retrieval: ready, policy: ready };
    useSession.setState({
      parts,
      sources: { localPassages: 1200, webPassages: 30_000, web: null, memory: null },
    });
    expect(wordsIn(bar())).toContain('1,200 local + 30,000 web passages');
    useSession.setState({
      sources: { localPassages: 5, webPassages: null, web: 'wiki.example', memory: null },
    });
    expect(wordsIn(bar())).toContain('5 local passages, web: wiki.example');
    useSession.setState({
      parts: {
        ...parts,
        policy: {
          ...ready,
          status: 'failed',
          failure: { kind: 'failed', message: '', detail: '' },
        },
      },
    });
    expect(wordsIn(bar())).toContain('⚠ model failed');
  });

  it('says how far a run is and how fast, and stops it', () => {
    useAsk.setState({
      run: { ...running, tokensPerSecond: 1234 },
      table: tableOf([emptyRollout('a'), emptyRollout('b')]),
    });
    useAsk.setState(({ table }) => ({ table: { ...table, finished: { a: true } } }));
    expect(cell('run-status')).toBe('running 1 / 2');
    expect(cell('rate')).toBe('1,234 tokens/s sampled');
    expect(buttonsIn(bar())).toMatchObject([{ name: 'Stop what is running', disabled: false }]);
    useAsk.setState({ run: { ...running, status: 'done' } });
    expect(cell('run-status')).toBe('done');
    expect(buttonsIn(bar())).toMatchObject([{ disabled: true }]);
  });

  it('says what trains and where, on every page', () => {
    useTrain.setState({ runs: [runRecord('a', { step: 4 })], here: 'a' });
    const { steps } = runRecord('a').settings;
    expect(linksIn(bar())).toEqual([{ name: `training, step 4 / ${steps}`, href: '/train?run=a' }]);
    useTrain.setState({ here: null });
    expect(linksIn(bar())[0]?.name).toBe(`training in another tab, step 4 / ${steps}`);
  });

  it('asks how a training ends, in the words of its page, and ends everything else at once', () => {
    useTrain.setState({ runs: [runRecord('a', { step: 4 })], here: 'a' });
    const ways = buttonsIn(bar()).map(({ name }) => name);
    expect(ways).toEqual([
      'Pause after this step',
      'Stop now and keep step 4',
      'Stop now and keep nothing',
    ]);
    expect(wordsIn(bar())).toContain('The step under way, 5, is lost. Kept: 4 steps');
    expect(valuesOf(bar(), 'title')).toContain('Stop what is running');
    // A run of Ask beside it ends first, by one press.
    useAsk.setState({ run: running });
    expect(buttonsIn(bar())).toMatchObject([{ name: 'Stop what is running', disabled: false }]);
  });

  it('takes the step before the one under way as whole where no page reads the steps', () => {
    const progress = { runId: 'a', status: 'running', phase: 'rollouts', step: 8 } as const;
    useTrain.setState({
      runs: [runRecord('a', { step: 5, checkpointStep: 5 })],
      here: 'a',
      progress: {
        a: {
          ...progress,
          steps: 9,
          done: 1,
          total: 4,
          share: 0.2,
          etaSeconds: null,
          phaseSeconds: 0,
          activity: IDLE,
          pausing: false,
          notice: null,
        },
      },
    });
    expect(buttonsIn(bar()).map(({ name }) => name)).toContain('Stop now and keep step 7');
  });

  it.each([
    ['storing', 'storing for offline use'],
    ['ready', 'works offline'],
    ['unavailable', 'needs its server'],
  ] as const)('says whether the page can be opened without its server: %s', (status, words) => {
    useSession.setState({ offline: { status, reason: 'no https' } });
    expect(cell('offline')).toBe(words);
    if (status === 'unavailable')
      expect(valuesOf(bar(), 'title')).toContain(
        'The page could not be stored on this device: no https.',
      );
  });
});

describe('offline use', () => {
  const worker = (state: string) => Object.assign(new EventTarget(), { state });
  const loaded = () =>
    useSession.setState({ parts: { world: ready, retrieval: ready, policy: ready } });

  it('is not to be had without a service worker, and that is said', () => {
    vi.stubGlobal('navigator', {});
    keepForOffline();
    expect(useSession.getState().offline.status).toBe('unavailable');
  });

  it('is prepared once everything for the first question is loaded', async () => {
    const register = vi.fn(() => Promise.resolve({ installing: worker('activated') }));
    vi.stubGlobal('navigator', { serviceWorker: { register } });
    keepForOffline();
    useSession.setState({ questions: [] });
    expect(register).not.toHaveBeenCalled();
    loaded();
    expect(useSession.getState().offline.status).toBe('storing');
    loaded();
    await vi.waitFor(() => expect(useSession.getState().offline.status).toBe('ready'));
    expect(register).toHaveBeenCalledOnce();
  });

  it('waits until a run that began with the page has ended', async () => {
    const register = vi.fn(() => Promise.resolve({ active: worker('activated') }));
    vi.stubGlobal('navigator', { serviceWorker: { register } });
    let runs = true;
    const listeners = new Set<() => void>();
    keepForOffline({
      now: () => runs,
      subscribe: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    loaded();
    expect(register).not.toHaveBeenCalled();
    runs = false;
    for (const listener of listeners) listener();
    expect(register).toHaveBeenCalledOnce();
    expect(listeners.size).toBe(0);
    await vi.waitFor(() => expect(useSession.getState().offline.status).toBe('ready'));
  });

  it('waits only for the parts that the page needs, or a moment without any', async () => {
    const register = vi.fn(() => Promise.resolve({ active: worker('activated') }));
    vi.stubGlobal('navigator', { serviceWorker: { register } });
    vi.useFakeTimers();
    keepForOffline();
    await vi.advanceTimersByTimeAsync(1000);
    expect(register).not.toHaveBeenCalled();
    // Needed after a second: that comes first, however long it takes.
    useSession.setState({ needed: new Set(['sources']) });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(register).not.toHaveBeenCalled();
    const { parts } = useSession.getState();
    useSession.setState({ parts: { ...parts, world: ready, retrieval: ready } });
    expect(register).toHaveBeenCalledOnce();

    useSession.setState(useSession.getInitialState(), true);
    keepForOffline();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(register).toHaveBeenCalledTimes(2);
    vi.useRealTimers();
  });

  it('says why the files could not be stored', async () => {
    const installing = worker('redundant');
    vi.stubGlobal('navigator', {
      serviceWorker: { register: () => Promise.resolve({ installing }) },
    });
    keepForOffline();
    loaded();
    await vi.waitFor(() =>
      expect(useSession.getState().offline).toEqual({
        status: 'unavailable',
        reason: 'not all files could be stored',
      }),
    );
  });
});

describe('the frame', () => {
  it('names every place, and says which one is shown', () => {
    const html = htmlOfAt('/rollouts/file-1', <Rail />);
    expect(linksIn(html)).toEqual(RAIL.map(({ name, path }) => ({ name, href: path })));
    expect(valuesOf(html, 'aria-current')).toEqual(['page']);
    expect(new Set(RAIL.map(({ letter }) => letter)).size).toBe(RAIL.length);
  });

  it('says which place is shown, with what runs there, and offers what can be done', () => {
    const top = (path: string) =>
      htmlOfAt(path, <TopBar toggleTheme={() => undefined} />, useSession);
    expect(wordsIn(top('/train'))).toContain('Forage Train');
    expect(wordsIn(top('/cluster'))).toContain('Forage Corpus · Clusters');
    expect(wordsIn(top('/constructor'))).toContain('Forage Forage');
    const names = (path: string) => buttonsIn(top(path)).map(({ name }) => name);
    expect(names('/ask')).toContain('Copy the address of this view');
    expect(names('/train')).toEqual(['Dark (l)', 'All commands (Ctrl K)', 'Keys and words (?)']);
    // The same seed gives the same tokens on WASM alone.
    expect(top('/ask')).not.toContain('repeat-note');
    useSession.setState({ device: { device: 'webgpu', adapter: 'x', fallback: false } });
    expect(wordsIn(top('/ask'))).toContain('≈ on WebGPU; exact repeats on WASM only');
  });

  it('says that an address is not a page, with a link back', () => {
    const html = htmlOf(<NowherePage />);
    expect(wordsIn(html)).toContain('Page not found No page has this address.');
    expect(linksIn(html)[0]?.href).toBe('/ask');
  });
});
