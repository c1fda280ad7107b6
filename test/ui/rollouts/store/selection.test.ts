import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Browsed, MatchingRow } from '../../../../src/lab/contract/rollouts.ts';
import type { Mark } from '../../../../src/lab/contract/records/rollout-files.ts';
import { useRollouts } from '../../../../src/ui/rollouts/store/rollouts-store.ts';
import {
  markPicked,
  markRollout,
  moveCursor,
  openCursor,
  openRow,
  pickAll,
  pickRow,
  showSelection,
  toggleAllClosed,
  toggleBookmark,
  toggleClosed,
  wantRows,
} from '../../../../src/ui/rollouts/store/browse-selection.ts';
import { readOrder } from '../../../../src/ui/rollouts/reader/store/order.ts';
import { connectFake, deferred, settle, stubPage, type Answers } from '../../lab/fake-lab.ts';
import { fileRecord, foundRow, selection } from '../views.ts';

const state = () => useRollouts.getState();
const query = (filter: string) => ({ filter, sort: null, group: [] });
const found = (...order: number[]): Browsed => ({ status: 'ready', ...selection(...order) });
const mark = (rest: Partial<Mark> = {}): Mark => ({
  file: 'f.jsonl',
  rollout: 'r1',
  bookmarked: false,
  tags: [],
  note: '',
  ...rest,
});

const connect = (rollouts: Partial<Answers['rollouts']> = {}) =>
  connectFake({
    rollouts: {
      files: () => Promise.resolve([fileRecord('f'), fileRecord('g')]),
      marks: () => Promise.resolve([]),
      browse: () => Promise.resolve(found(2, 0, 1)),
      rowsAt: (_id, positions) => Promise.resolve(positions.map((at) => foundRow(at))),
      ids: (_id, positions) => Promise.resolve(positions.map((at) => `r${at}`)),
      ...rollouts,
    },
  });

const order = () => [...(state().selected?.order ?? [])];

beforeEach(() => {
  stubPage({ path: '/rollouts/f', search: '?filter=em+%3D+0&view=compare&with=g' });
  useRollouts.setState(
    { ...useRollouts.getInitialState(), files: [fileRecord('f'), fileRecord('g')] },
    true,
  );
});

describe('a selection', () => {
  it('is asked for once as long as nothing of it changes', async () => {
    const fake = connect();
    await showSelection('f', query(''));
    await showSelection('f', query(''));
    expect(order()).toEqual([2, 0, 1]);
    expect(fake.callsOf('rollouts.browse')).toHaveLength(1);
    await showSelection('f', query(''), true);
    await showSelection('f', { ...query(''), sort: { column: 'em', descending: true } });
    await showSelection('f', { ...query(''), group: ['step'] });
    expect(fake.callsOf('rollouts.browse')).toHaveLength(4);
  });

  it('says where a filter cannot be read, and keeps what was shown', async () => {
    connect();
    await showSelection('f', query(''));
    const fault = { status: 'fault', message: 'no such field', position: 0, length: 3 } as const;
    connect({ browse: () => Promise.resolve(fault) });
    await showSelection('f', query('abc = 1'));
    expect(state()).toMatchObject({ fault, loading: false });
    expect(order()).toEqual([2, 0, 1]);
    connect();
    await showSelection('f', query('em = 1'));
    expect(state().fault).toBeNull();
  });

  it('of an earlier filter does not replace the latest, nor does its failure end its loading', async () => {
    const answers = [deferred<Browsed>(), deferred<Browsed>(), deferred<Browsed>()];
    let at = 0;
    connect({ browse: () => answers[at++]?.promise ?? Promise.reject(new Error('too many')) });
    const shows = ['a', 'b', 'c'].map((filter) => showSelection('f', query(filter)));
    answers[0]?.resolve(found(9));
    answers[1]?.reject(new Error('stopped'));
    await Promise.all(shows.slice(0, 2));
    expect(state()).toMatchObject({ selected: null, loading: true });
    expect(useRollouts.getState().problem).toBeNull();
    answers[2]?.resolve(found(1));
    await shows[2];
    expect(state().loading).toBe(false);
    expect(order()).toEqual([1]);
  });

  it('of another file starts empty: no row, cursor or mark of the last one stays', async () => {
    connect();
    await showSelection('f', query(''));
    wantRows([1]);
    moveCursor(1);
    await settle();
    toggleClosed('x');
    expect(state().rows.size).toBe(1);
    await showSelection('g', query(''));
    expect(state()).toMatchObject({
      fileId: 'g',
      cursor: null,
      rows: new Map(),
      closed: new Set(),
    });
  });

  it('that fails says so', async () => {
    connect({ browse: () => Promise.reject(new Error('disk')) });
    await showSelection('f', query(''));
    expect(state().loading).toBe(false);
    expect(useRollouts.getState().problem).toBe('The rollouts could not be selected: disk');
  });
});

describe('rows', () => {
  it('are fetched once; of what scrolls by, only the last is', async () => {
    const first = deferred<MatchingRow[]>();
    let calls = 0;
    const fake = connect({
      rowsAt: (_id, positions) =>
        calls++ === 0 ? first.promise : Promise.resolve(positions.map((at) => foundRow(at))),
    });
    await showSelection('f', query(''));
    wantRows([0]);
    wantRows([1]);
    wantRows([2, 0]);
    first.resolve([foundRow(0)]);
    await settle();
    wantRows([0, 2]);
    expect(fake.callsOf('rollouts.rowsAt')).toEqual([
      ['f', [0]],
      ['f', [2, 0]],
    ]);
    expect([...state().rows.keys()].toSorted((a, b) => a - b)).toEqual([0, 2]);
  });

  it('of a file that was left are thrown away', async () => {
    const rows = deferred<MatchingRow[]>();
    connect({ rowsAt: () => rows.promise });
    await showSelection('f', query(''));
    wantRows([0]);
    await showSelection('g', query(''));
    rows.resolve([foundRow(0)]);
    await settle();
    expect(state().rows.size).toBe(0);
  });

  it('that cannot be read say so, and are asked for again', async () => {
    connect({ rowsAt: () => Promise.reject(new Error('disk')) });
    await showSelection('f', query(''));
    wantRows([0]);
    await settle();
    expect(useRollouts.getState().problem).toBe('Rows could not be read: disk');
    connect();
    wantRows([0]);
    await settle();
    expect(state().rows.size).toBe(1);
  });
});

describe('the cursor', () => {
  it('goes through the rows in the order of the table', async () => {
    connect();
    moveCursor(1);
    expect(state().cursor).toBeNull();
    await showSelection('f', query(''));
    const seen = [1, 1, 1, -1].map((by) => {
      moveCursor(by as 1 | -1);
      return state().cursor;
    });
    expect(seen).toEqual([2, 0, 1, 0]);
  });

  it('opens its row in the reader, which keeps the filter and continues in table order', async () => {
    const stored: string[] = [];
    vi.stubGlobal('sessionStorage', { setItem: (_: string, text: string) => stored.push(text) });
    connect();
    await showSelection('f', query(''));
    const went: string[] = [];
    await openCursor((path) => went.push(path));
    expect(went).toEqual([]);
    moveCursor(1);
    await openCursor((path) => went.push(path));
    expect(went).toEqual(['/rollouts/f/r2?filter=em+%3D+0']);
    expect(readOrder(stored[0] ?? null, 'f')).toEqual(['r2', 'r0', 'r1']);
  });

  it('opens a row where the browser stores nothing', async () => {
    vi.stubGlobal('sessionStorage', undefined);
    connect({ ids: () => Promise.reject(new Error('disk')) });
    await showSelection('f', query(''));
    const went: string[] = [];
    await openRow(foundRow(1), (path) => went.push(path));
    expect(went).toHaveLength(1);
    expect(state().cursor).toBe(1);
  });
});

describe('notes on a rollout', () => {
  it('are read with the file, and a bookmark is set and taken away', async () => {
    const fake = connect({
      marks: () => Promise.resolve([mark({ tags: ['odd'] })]),
      mark: (file, rollout, change) => Promise.resolve(mark({ file, rollout, ...change })),
    });
    await showSelection('f', query(''));
    await settle();
    expect(state().marks.get('r1')?.tags).toEqual(['odd']);
    wantRows([2]);
    await settle();
    moveCursor(1);
    await toggleBookmark();
    expect(state().marks.get('r2')?.bookmarked).toBe(true);
    expect(state().rows.get(2)?.row.tags).toEqual(['★']);
    await toggleBookmark();
    expect(fake.callsOf('rollouts.mark').map((call) => call[2])).toEqual([
      { bookmarked: true },
      { bookmarked: false },
    ]);
    expect(state().rows.get(2)?.row.tags).toEqual([]);
  });

  it('that are stored late are not shown on another file’s rollout of the same id', async () => {
    const stored = deferred<Mark>();
    connect({ mark: () => stored.promise });
    await showSelection('f', query(''));
    const marking = markRollout('r1', { note: 'x' });
    await showSelection('g', query(''));
    stored.resolve(mark({ note: 'x' }));
    await marking;
    expect(state().marks.size).toBe(0);
  });

  it('that cannot be stored say so', async () => {
    connect({ mark: () => Promise.reject(new Error('disk')) });
    await showSelection('f', query(''));
    await markRollout('r1', { note: 'x' });
    expect(useRollouts.getState().problem).toBe('The note could not be stored: disk');
    expect(state().marks.size).toBe(0);
  });
});

it('groups are closed one by one, all at once, and opened again', () => {
  const groups = ['a', 'b'].map((key) => ({ key }));
  useRollouts.setState({ selected: { ...selection(), groups } as ReturnType<typeof selection> });
  const closed = () => [...state().closed].toSorted();
  toggleClosed('a');
  expect(closed()).toEqual(['a']);
  toggleAllClosed();
  expect(closed()).toEqual(['a', 'b']);
  toggleAllClosed();
  expect(closed()).toEqual([]);
  toggleClosed('a');
  toggleClosed('a');
  expect(closed()).toEqual([]);
});

describe('checked rows', () => {
  const picked = () => [...state().picked].toSorted((a, b) => a - b);

  it('are one by one, a range in the order of the table, or all that pass the filter', async () => {
    connect({ browse: () => Promise.resolve(found(4, 0, 3, 1)) });
    await showSelection('f', query(''));
    pickRow(0, false);
    pickRow(1, true);
    expect(picked()).toEqual([0, 1, 3]);
    pickRow(3, false);
    expect(picked()).toEqual([0, 1]);
    pickAll(true);
    expect(picked()).toEqual([0, 1, 3, 4]);
    // Another order keeps them, another filter or file does not.
    await showSelection('f', { ...query(''), sort: { column: 'em', descending: true } });
    expect(picked()).toEqual([0, 1, 3, 4]);
    await showSelection('f', query('em = 1'));
    expect(picked()).toEqual([]);
  });

  it('are tagged at once, each keeping the tags that it has', async () => {
    const fake = connect({
      marks: () => Promise.resolve([mark({ rollout: 'r0', tags: ['old'] })]),
      mark: (_file, rollout, change) => Promise.resolve(mark({ rollout, ...change })),
    });
    await showSelection('f', query(''));
    await settle();
    pickRow(0, false);
    pickRow(2, false);
    await markPicked(({ tags }) => ({ tags: [...tags, 'odd'] }));
    expect(fake.callsOf('rollouts.mark')).toEqual([
      ['f.jsonl', 'r0', { tags: ['old', 'odd'] }],
      ['f.jsonl', 'r2', { tags: ['odd'] }],
    ]);
    expect(state().marks.get('r2')?.tags).toEqual(['odd']);
    expect(state().marks.get('r0')?.tags).toEqual(['old', 'odd']);
  });
});
