import { expect, test } from 'vitest';
import { inLockStep } from '../../src/retrieval/lock-step.ts';
import type { Retriever } from '../../src/retrieval/retriever.ts';

/** Notes what it is asked, in order. */
function noting() {
  const asked: string[] = [];
  const source: Retriever = {
    search: (_, query) => {
      asked.push(query);
      return Promise.resolve({ hits: [], latencyMs: 0, addedDelayMs: 0 } as never);
    },
  };
  const lockStep = inLockStep(source);
  const seats = Array.from({ length: 3 }, () => {
    const seat = lockStep.join?.();
    if (!seat) throw new Error('nothing to join');
    return seat;
  });
  const search = (i: number, query: string, signal?: AbortSignal) =>
    seats[i]?.retriever.search('local', query, 1, signal);
  return { asked, search, leave: (i: number) => seats[i]?.leave() };
}

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test('a search is answered when all that have not ended want one', async () => {
  const { asked, search, leave } = noting();
  const first = [search(0, 'a'), search(1, 'b')];
  await later();
  expect(asked).toEqual([]);
  await Promise.all([...first, search(2, 'c')]);
  expect(asked).toEqual(['a', 'b', 'c']);
  const second = search(0, 'd');
  leave(1);
  await later();
  expect(asked).toHaveLength(3);
  // The last one besides ends without a search.
  leave(2);
  await second;
  expect(asked).toEqual(['a', 'b', 'c', 'd']);
});

test('one that is stopped waits no longer, and is not waited for once it has left', async () => {
  const { asked, search, leave } = noting();
  const stop = new AbortController();
  const stopped = search(0, 'a', stop.signal);
  stop.abort(new Error('stopped'));
  await expect(stopped).rejects.toThrow('stopped');
  leave(0);
  await Promise.all([search(1, 'b'), search(2, 'c')]);
  expect(asked).toEqual(['b', 'c']);
});
