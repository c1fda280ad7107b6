import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Command } from '../../../src/ui/shell/commands.ts';
import { rolloutCommands } from '../../../src/ui/shell/rollout-commands.ts';
import { useRollouts } from '../../../src/ui/rollouts/store/rollouts-store.ts';
import { connectFake, settle, stubPage } from '../lab/fake-lab.ts';
import { fileRecord, foundRow, selection } from '../rollouts/views.ts';

let went: string[] = [];
const commands = rolloutCommands((path) => void went.push(path));
const byKey = (key: string): Command => {
  const found = commands.find(({ keys }) => keys.includes(key));
  if (!found) throw new Error(`no command has the key ${key}`);
  return found;
};
const cursor = () => useRollouts.getState().cursor;

beforeEach(() => {
  stubPage({ path: '/rollouts/f', search: '?filter=em+%3D+0' });
  went = [];
  useRollouts.setState(
    {
      ...useRollouts.getInitialState(),
      files: [fileRecord('f')],
      fileId: 'f',
      selected: selection(4, 2, 7),
    },
    true,
  );
});

const connect = () =>
  connectFake({
    rollouts: {
      rowsAt: (_id, positions) => Promise.resolve(positions.map((at) => foundRow(at))),
      ids: (_id, positions) => Promise.resolve(positions.map((at) => `r${at}`)),
      mark: (file, rollout, change) =>
        Promise.resolve({ file, rollout, bookmarked: false, tags: [], note: '', ...change }),
    },
  });

describe('keys of the table of rollouts', () => {
  it('work only on a table', () => {
    const at = (path: string) => commands.filter(({ when }) => when?.(path)).length;
    expect(['/rollouts/f', '/rollouts/f/', '/rollouts/a%2Fb'].map(at)).toEqual([7, 7, 7]);
    expect(['/rollouts/f/r', '/ask', '/x/rollouts/f'].map(at)).toEqual([0, 0, 0]);
    // The list of files has a search.
    expect(['/rollouts', '/rollouts/'].map(at)).toEqual([1, 1]);
  });

  it('j and k go through the rows as they are sorted, and stop at the ends', () => {
    const way = ['j', 'j', 'k', 'j', 'j', 'j', 'k'].map((key) => {
      byKey(key).act();
      return cursor();
    });
    expect(way).toEqual([4, 2, 4, 2, 7, 7, 2]);
  });

  it('Enter opens the row under the cursor, with the filter kept', async () => {
    connect();
    byKey('Enter').act();
    await settle();
    expect(went).toEqual([]);
    byKey('j').act();
    byKey('Enter').act();
    await vi.waitFor(() => expect(went).toHaveLength(1));
    expect(went[0]).toMatch(/^\/rollouts\/f\/r4\?.*filter=em/);
  });

  it('b bookmarks the row under the cursor, and takes the mark away', async () => {
    const fake = connect();
    byKey('j').act();
    byKey('b').act();
    await settle();
    byKey('b').act();
    await settle();
    expect(fake.callsOf('rollouts.mark')).toEqual([
      ['f.jsonl', 'r4', { bookmarked: true }],
      ['f.jsonl', 'r4', { bookmarked: false }],
    ]);
  });

  it('g groups by question, and takes any groups away', () => {
    byKey('g').act();
    stubPage({ path: '/rollouts/f', search: '?group=step' });
    byKey('g').act();
    expect(went).toEqual(['/rollouts/f?filter=em+%3D+0&group=question', '/rollouts/f']);
  });

  it('do nothing where no file is open', async () => {
    const fake = connect();
    useRollouts.setState(useRollouts.getInitialState(), true);
    for (const key of ['j', 'k', 'Enter', 'g', 'b']) byKey(key).act();
    await settle();
    expect([went, fake.calls.filter(([name]) => name.startsWith('rollouts.')), cursor()]).toEqual([
      [],
      [],
      null,
    ]);
  });

  it('/ puts the cursor into the filter', () => {
    const focus = vi.fn();
    vi.stubGlobal('document', {
      getElementById: (id: string) => (id === 'rollout-filter' ? { focus } : null),
    });
    byKey('/').act();
    expect(focus).toHaveBeenCalledOnce();
  });
});
