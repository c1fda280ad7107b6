import { describe, expect, it } from 'vitest';
import type { LocalSpec } from '../../../../src/records/setup.ts';
import { LocalKeeper, type KeptLocal } from '../../../../src/lab/corpus/retrieval/local-keeper.ts';

const BUILT_IN: LocalSpec = { kind: 'built-in' };
const OWN: LocalSpec = {
  kind: 'collections',
  ids: ['a'],
  method: 'cluster',
  encoder: 'built-in',
  reranker: null,
};

/** A keeper of sources that are never searched, and what was opened, stopped and given back. */
const open = (fail = false) => {
  const log: string[] = [];
  const keeper = new LocalKeeper(async (spec, signal) => {
    log.push(`open ${spec.kind}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    signal.throwIfAborted();
    if (fail) throw new Error(`attempt ${log.length} failed`);
    const kept: KeptLocal = {
      spec,
      source: { name: 'local', search: async () => ({ hits: [] }) },
      note: '',
      passages: [],
      memory: null,
      vectors: null,
      clusters: null,
      encoded: () => Promise.reject(new Error('none')),
      dispose: async () => void log.push(`dispose ${spec.kind}`),
    };
    return kept;
  });
  return { keeper, log };
};

describe('local sources', () => {
  it('are open once for all who use them, until the last gives it back', async () => {
    const { keeper, log } = open();
    const [first, second, other] = [OWN, OWN, BUILT_IN].map((spec) => keeper.lease(spec));
    expect(await first!.local).toBe(await second!.local);
    expect(await keeper.find(OWN)).toBe(await first!.local);
    expect(await other!.local).not.toBe(await first!.local);
    first!.release();
    first!.release();
    await Promise.resolve();
    expect(log).toEqual(['open collections', 'open built-in']);
    second!.release();
    expect(keeper.find(OWN)).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(log.at(-1)).toBe('dispose collections');
    expect(keeper.find(BUILT_IN)).not.toBeNull();
  });

  it('that nobody waits for any more are not opened to their end', async () => {
    const { keeper, log } = open();
    const lease = keeper.lease(OWN);
    lease.release();
    await expect(lease.local).rejects.toThrow('were closed');
    expect(log).toEqual(['open collections']);
  });

  it('can be stopped while they are opened, for all who wait, and are opened again then', async () => {
    const { keeper } = open();
    const leases = [keeper.lease(OWN), keeper.lease(OWN)];
    const ended = leases.map(({ local }) => expect(local).rejects.toThrow('enough'));
    keeper.stop(OWN, new Error('enough'));
    await Promise.all(ended);
    const again = keeper.lease(OWN);
    // Those who gave up say so late; it is not theirs.
    for (const { release } of leases) release();
    expect((await again.local).spec).toEqual(OWN);
    expect(await keeper.find(OWN)).toBe(await again.local);
  });

  it('that fail are tried again by the next', async () => {
    const { keeper } = open(true);
    await expect(keeper.lease(OWN).local).rejects.toThrow('attempt 1 failed');
    await expect(keeper.lease(OWN).local).rejects.toThrow('attempt 2 failed');
  });
});
