import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { describe, expect, it } from 'vitest';
import type { SearchMatch, SearchUpdate } from '../../../src/lab/contract/rollouts.ts';
import { RolloutsDatabase } from '../../../src/lab/rollouts/database.ts';
import { RolloutsHost } from '../../../src/lab/rollouts/host.ts';
import { runFileId, type RunSource } from '../../../src/lab/rollouts/own-runs.ts';
import { RolloutsStore } from '../../../src/lab/rollouts/store.ts';
import { searchAll, type Searched } from '../../../src/lab/rollouts/search-all.ts';
import type { RolloutTexts } from '../../../src/formats/rollouts/own-schema.ts';
import type { ImportedRollout } from '../../../src/formats/rollouts/shape/imported.ts';
import { withUpdate } from '../../../src/ui/rollouts/search/search-actions.ts';
import { havingText } from '../../../src/ui/rollouts/store/browse-address.ts';
import { ownLines } from '../../formats/rollouts/helpers.ts';

const texts = (id: string, text: string): RolloutTexts => ({
  id,
  step: null,
  question: { text: 'Who wrote it?' },
  answer: null,
  segments: [{ source: 'policy', role: 'think', text }],
});
const lines = (...all: string[]): string[] =>
  all.map((text, i) => JSON.stringify({ ...texts(`r${i}`, text), reward: 1 }));

async function* parts(...all: string[][]): AsyncGenerator<string[], void, void> {
  for (const one of all) yield await Promise.resolve(one);
}

const searched = (change: Partial<Searched> = {}): Searched => ({
  files: [
    { id: 'f', name: 'first.jsonl', rollouts: 4 },
    { id: 'g', name: 'second.jsonl', rollouts: 1 },
  ],
  parts: (id) =>
    id === 'f'
      ? parts(lines('a fox', 'a "quoted fox"'), lines('nothing', 'FOX'))
      : parts(lines('a hen')),
  runs: [{ id: 'run', name: 'mine' }],
  steps: () => [[texts('s1', 'no')], [texts('s2', 'the fox')]],
  evaluations: [{ id: 'table', name: 'a table', done: 2 }],
  // As it is stored it has another id than in this evaluation.
  made: () => [lines('a hen', 'fox').map((line, i) => ({ id: `e${i}`, line }))],
  ...change,
});

/** What the page shows in the end. */
const found = async (text: string, over = searched(), signal = new AbortController().signal) => {
  const updates: SearchUpdate[] = [];
  await searchAll(over, text, (update) => updates.push(update), signal);
  const places = updates.reduce<SearchMatch[]>((all, update) => withUpdate(all, update), []);
  return { places, updates };
};
const hitsOf = (places: readonly SearchMatch[]) =>
  places.map(({ name, count, rollouts, hits }) => [
    name,
    count,
    rollouts,
    hits.map(({ id }) => id),
  ]);

it('tells by file and by run which rollouts have the words, and how many were looked through', async () => {
  const { places, updates } = await found('fox');
  expect(hitsOf(places)).toEqual([
    ['first.jsonl', 3, 4, ['r0', 'r1', 'r1']],
    ['second.jsonl', 0, 1, []],
    ['mine', 1, 2, ['s2']],
    ['a table', 1, 2, ['e1']],
  ]);
  expect(updates.at(-1)).toMatchObject({ share: 1, places: 4 });
});

it('finds words that JSON writes otherwise', async () => {
  expect(hitsOf((await found('"quoted')).places)[0]).toEqual(['first.jsonl', 1, 4, ['r1']]);
  const odd = searched({ parts: () => parts(lines('back\\slash and\ta tab')) });
  for (const words of ['k\\s', 'd\ta'])
    expect((await found(words, odd)).places[0]?.count, words).toBe(1);
});

it('tells of the first hundred of a place, and counts the others', async () => {
  const many = searched({
    files: [{ id: 'f', name: 'many', rollouts: 250 }],
    parts: () =>
      parts(...Array.from({ length: 25 }, () => lines(...Array<string>(10).fill('fox')))),
    runs: [],
    evaluations: [],
  });
  const [place] = (await found('fox', many)).places;
  expect([place?.count, place?.hits.length, place?.rollouts]).toEqual([250, 100, 250]);
});

it('tells of what was found before it ends, and of every rollout once', async () => {
  const slow = searched({
    files: [{ id: 'f', name: 'slow', rollouts: 3 }],
    parts: async function* () {
      for (const text of ['fox one', 'fox two', 'fox three']) {
        yield lines(text);
        await new Promise((resolve) => setTimeout(resolve, 130));
      }
    },
    runs: [],
    evaluations: [],
  });
  const { places, updates } = await found('fox', slow);
  const [first] = updates;
  expect(first?.share).toBeLessThan(1);
  expect(first?.share).toBe(first!.found[0]!.rollouts / 3);
  expect(first?.found[0]?.count).toBe(first?.found[0]?.rollouts);
  expect(places.map(({ count, hits }) => [count, hits.length])).toEqual([[3, 3]]);
  expect(places[0]?.hits.map(({ segment }) => segment?.text.after)).toEqual([
    ' one',
    ' two',
    ' three',
  ]);
});

it('reports a damaged file and continues with the others', async () => {
  const damaged = searched({
    parts: (id) => (id === 'f' ? parts(['{"fox']) : parts(lines('fox'))),
  });
  const { places } = await found('fox', damaged);
  expect(places[0]?.problem).toMatch(/JSON/);
  expect(places.slice(1).map(({ count, problem }) => [count, problem])).toEqual([
    [1, null],
    [1, null],
    [1, null],
  ]);
});

it('stops when aborted', async () => {
  const stop = new AbortController();
  const endless = searched({
    parts: async function* () {
      for (;;) {
        yield await Promise.resolve(lines('fox'));
        stop.abort(new Error('stopped'));
      }
    },
  });
  await expect(found('fox', endless, stop.signal)).rejects.toThrow('stopped');
});

describe('over what is stored', () => {
  const nothing = (): void => undefined;
  const signal = new AbortController().signal;
  const own = ownLines().map((line) => JSON.parse(line) as ImportedRollout);
  const run: RunSource = {
    runs: () => Promise.resolve([{ id: 'r1', name: 'first', step: 2, updatedAt: '' }]),
    steps: async function* () {
      yield await Promise.resolve(own.slice(0, 6));
      yield own.slice(6);
    },
    lines: () => Promise.resolve(new Blob([`${ownLines().join('\n')}\n`])),
  };
  const open = (): RolloutsHost => {
    const database = new RolloutsDatabase('test', { indexedDB: new IDBFactory(), IDBKeyRange });
    return new RolloutsHost(new RolloutsStore(database), run);
  };
  const searchOf = async (host: RolloutsHost, text: string): Promise<SearchMatch[]> => {
    const updates: SearchUpdate[] = [];
    await host.searchAll(text, (update) => updates.push(update), signal);
    return updates.reduce<SearchMatch[]>((all, update) => withUpdate(all, update), []);
  };

  it('finds rollouts of a run that no file was made of, by the ids that they have in its file', async () => {
    const host = open();
    const [before] = await searchOf(host, 'borish');
    expect(before).toMatchObject({ kind: 'run', id: 'r1', rollouts: own.length, problem: null });
    expect(before!.count).toBeGreaterThan(0);
    await host.importRun('i', 'r1', nothing);
    for (const { id } of before!.hits) expect(await host.find(runFileId('r1'), id)).not.toBeNull();
    // From then on it is looked for in the file, once.
    const after = await searchOf(host, 'borish');
    expect(after.map(({ kind, id }) => [kind, id])).toEqual([['file', runFileId('r1')]]);
    expect(after[0]!.hits).toEqual(before!.hits);
  });

  it('finds what the filter of the table finds that the place leads to', async () => {
    const host = open();
    await host.importRun('i', 'r1', nothing);
    for (const words of ['Borish', 'the', 'and', 'was born in', '</think>', 'no such words']) {
      const found = await host.select('s', runFileId('r1'), havingText(words));
      if (found.status !== 'ready') throw new Error(`${words}: ${found.status}`);
      const [place] = await searchOf(host, words);
      expect(
        place?.hits.map(({ id }) => id),
        words,
      ).toEqual(found.rows.map(({ row }) => row.id));
    }
  });

  it('leaves out files that were deleted', async () => {
    const host = open();
    await host.importFile('i', await run.lines('r1', signal), 'f.jsonl', nothing);
    const [file] = await host.files();
    await host.remove(file!.id);
    expect((await searchOf(host, 'borish')).map(({ kind }) => kind)).toEqual(['run']);
  });
});
