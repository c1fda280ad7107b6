import { beforeEach, describe, expect, it } from 'vitest';
import type { SearchMatch, SearchUpdate } from '../../../../src/lab/contract/rollouts.ts';
import {
  leaveSearch,
  resumeSearch,
  startSearch,
  stopSearch,
} from '../../../../src/ui/rollouts/search/search-actions.ts';
import { standingWords } from '../../../../src/ui/rollouts/search/SearchResults.tsx';
import { connectFake, deferred, settle } from '../../lab/fake-lab.ts';
import { useRollouts } from '../../../../src/ui/rollouts/store/rollouts-store.ts';

const place = (id: string, ids: string[], rest: Partial<SearchMatch> = {}): SearchMatch => ({
  kind: 'file',
  id,
  name: `${id}.jsonl`,
  rollouts: 10,
  count: ids.length,
  hits: ids.map((hit) => ({
    id: hit,
    step: null,
    question: { before: '', match: '', after: '' },
    answer: null,
    segment: null,
    count: 1,
  })),
  problem: null,
  ...rest,
});
const update = (...found: SearchMatch[]): SearchUpdate => ({ share: 0.5, places: 2, found });

const state = () => useRollouts.getState().search;
const hits = () => state().found.map(({ id, hits: own }) => [id, own.map((hit) => hit.id)]);

/** A lab whose searches end when a test says so. */
const connect = () => {
  const searches: {
    tell: (update: SearchUpdate) => void;
    signal: AbortSignal;
    end: ReturnType<typeof deferred<void>>;
  }[] = [];
  const fake = connectFake({
    rollouts: {
      searchAll: (_text, tell, signal) => {
        const end = deferred();
        searches.push({ tell, signal, end });
        return end.promise;
      },
    },
  });
  return { searches, asked: () => fake.callsOf('rollouts.searchAll').map(([text]) => text) };
};

beforeEach(() => {
  stopSearch();
  useRollouts.setState(useRollouts.getInitialState(), true);
});

describe('a search of all rollouts', () => {
  it('shows streamed results: new rollouts of a file come after the old ones', async () => {
    const { searches } = connect();
    void startSearch('fox', '');
    searches[0]!.tell(update(place('f', ['a'], { count: 1 })));
    expect(standingWords(state())).toBe('1 of 10 rollouts so far');
    searches[0]!.tell(update(place('f', ['b'], { count: 2, rollouts: 20 }), place('g', ['c'])));
    expect(hits()).toEqual([
      ['f', ['a', 'b']],
      ['g', ['c']],
    ]);
    searches[0]!.end.resolve();
    await settle();
    expect(state().status).toBe('done');
    expect(standingWords(state())).toBe('3 of 30 rollouts have “fox”, in 2 files');
  });

  it('is stopped with what it found so far, and hears nothing later', async () => {
    const { searches } = connect();
    void startSearch('fox', '');
    searches[0]!.tell(update(place('f', ['a'])));
    stopSearch();
    expect(searches[0]!.signal.aborted).toBe(true);
    searches[0]!.tell(update(place('f', ['b'])));
    searches[0]!.end.reject(new Error('stopped'));
    await settle();
    expect(state()).toMatchObject({ status: 'stopped', problem: '' });
    expect(hits()).toEqual([['f', ['a']]]);
    expect(standingWords(state())).toBe('Stopped: 1 of 10 rollouts has “fox”');
  });

  it('that fails says why', async () => {
    const { searches } = connect();
    void startSearch('fox', '');
    searches[0]!.end.reject(new Error('the rollouts worker ended'));
    await settle();
    expect(state()).toMatchObject({ status: 'failed', problem: 'the rollouts worker ended' });
  });

  it('for other words takes the place of the one before', () => {
    const { searches } = connect();
    void startSearch('fox', '');
    searches[0]!.tell(update(place('f', ['a'])));
    void startSearch('hen', '');
    expect(searches[0]!.signal.aborted).toBe(true);
    searches[0]!.tell(update(place('f', ['late'])));
    expect(hits()).toEqual([]);
  });
});

describe('on return from a rollout', () => {
  const done = async () => {
    const lab = connect();
    void startSearch('fox', 'two files');
    lab.searches[0]!.tell(update(place('f', ['a'])));
    lab.searches[0]!.end.resolve();
    await settle();
    leaveSearch();
    return lab;
  };

  it('what was found is there without another search, stopped or not', async () => {
    const { asked } = await done();
    resumeSearch('fox', 'two files');
    stopSearch();
    resumeSearch('fox', 'two files');
    expect(asked()).toEqual(['fox']);
    expect(hits()).toEqual([['f', ['a']]]);
  });

  it('it is searched again where there is more to search, and the old stays until there is something new', async () => {
    const { asked, searches } = await done();
    resumeSearch('fox', 'three files');
    expect(asked()).toEqual(['fox', 'fox']);
    expect(hits()).toEqual([['f', ['a']]]);
    searches[1]!.tell(update(place('new', ['z'])));
    expect(hits()).toEqual([['new', ['z']]]);
  });

  it('restarts a search that was left unfinished', () => {
    const { asked, searches } = connect();
    void startSearch('fox', '');
    leaveSearch();
    expect(searches[0]!.signal.aborted).toBe(true);
    resumeSearch('fox', '');
    expect(asked()).toEqual(['fox', 'fox']);
  });
});

it('counts runs and files apart', () => {
  const found = [place('f', ['a']), place('none', []), place('r', ['b', 'c'], { kind: 'run' })];
  expect(standingWords({ status: 'done', text: 'fox', found })).toBe(
    '3 of 30 rollouts have “fox”, in 1 file and 1 run',
  );
});
