import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { UNDO_MS } from '../../../src/lab/contract/undo.ts';
import { freeDeleted } from '../../../src/lab/storage/free-deleted.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-05-01T12:00:00Z') }));
afterEach(() => void vi.useRealTimers());

it('a deletion is freed at most half a minute after its undo is over, and no sooner', async () => {
  const deletedAt = new Date().toISOString();
  let freedAfter: number | null = null;
  const start = Date.now();
  const stop = freeDeleted([
    () => Promise.reject(new Error('one store that fails does not keep others from it')),
    async (before) => {
      if (deletedAt <= before) freedAfter ??= Date.now() - start;
    },
  ]);
  await vi.advanceTimersByTimeAsync(UNDO_MS - 1);
  expect(freedAfter).toBe(null);
  await vi.advanceTimersByTimeAsync(30_001);
  expect(freedAfter).toBeGreaterThanOrEqual(UNDO_MS);
  stop();
  expect(vi.getTimerCount()).toBe(0);
});

it('what was deleted long before the page was opened is freed at once', () => {
  const asked: string[] = [];
  freeDeleted([async (before) => void asked.push(before)])();
  expect(asked).toEqual(['2026-05-01T11:55:00.000Z']);
});
