import { describe, expect, it } from 'vitest';
import type { LocalSpec } from '../../../../src/records/setup.ts';
import {
  LocalSourcePool,
  type OpenLocalSource,
} from '../../../../src/lab/corpus/retrieval/local-source-pool.ts';

const BUILT_IN: LocalSpec = { kind: 'built-in' };
const OWN: LocalSpec = {
  kind: 'collections',
  ids: ['a'],
  method: 'cluster',
  encoder: 'built-in',
  reranker: null,
};

/** A pool of sources that are never searched, and what was opened, stopped and given back. */
const open = (fail = false) => {
  const log: string[] = [];
  const pool = new LocalSourcePool(async (spec, signal) => {
    log.push(`open ${spec.kind}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    signal.throwIfAborted();
    if (fail) throw new Error(`attempt ${log.length} failed`);
    const kept: OpenLocalSource = {
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
  return { pool, log };
};

describe('local sources', () => {
  it('are open once for all who use them, until the last gives it back', async () => {
    const { pool, log } = open();
    const [first, second, other] = [OWN, OWN, BUILT_IN].map((spec) => pool.lease(spec));
    expect(await first!.local).toBe(await second!.local);
    expect(await pool.find(OWN)).toBe(await first!.local);
    expect(await other!.local).not.toBe(await first!.local);
    first!.release();
    first!.release();
    await Promise.resolve();
    expect(log).toEqual(['open collections', 'open built-in']);
    second!.release();
    expect(pool.find(OWN)).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(log.at(-1)).toBe('dispose collections');
    expect(pool.find(BUILT_IN)).not.toBeNull();
  });

  it('that nobody waits for any more are not opened to their end', async () => {
    const { pool, log } = open();
    const lease = pool.lease(OWN);
    lease.release();
    await expect(lease.local).rejects.toThrow('were closed');
    expect(log).toEqual(['open collections']);
  });

  it('can be stopped while they are opened, for all who wait, and are opened again then', async () => {
    const { pool } = open();
    const leases = [pool.lease(OWN), pool.lease(OWN)];
    const ended = leases.map(({ local }) => expect(local).rejects.toThrow('enough'));
    pool.stop(OWN, new Error('enough'));
    await Promise.all(ended);
    const again = pool.lease(OWN);
    // Those who gave up say so late; it is not theirs.
    for (const { release } of leases) release();
    expect((await again.local).spec).toEqual(OWN);
    expect(await pool.find(OWN)).toBe(await again.local);
  });

  it('that fail are tried again by the next', async () => {
    const { pool } = open(true);
    await expect(pool.lease(OWN).local).rejects.toThrow('attempt 1 failed');
    await expect(pool.lease(OWN).local).rejects.toThrow('attempt 2 failed');
  });
});
