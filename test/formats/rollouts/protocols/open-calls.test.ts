import { describe, expect, test } from 'vitest';
import { OpenCalls } from '../../../../src/formats/rollouts/protocols/open-calls.ts';

const READS = true;
const ACTS = false;

describe('which call a result answers', () => {
  const calls = (...made: { reads: boolean; id?: string; name?: string }[]): OpenCalls => {
    const open = new OpenCalls(true);
    for (const call of made) open.add(call);
    return open;
  };

  test('in order, where nothing tells', () => {
    const open = calls({ reads: ACTS }, { reads: READS });
    expect([open.answer(), open.answer()]).toEqual([ACTS, READS]);
    // One too many is as the one before.
    expect(open.answer()).toBe(READS);
  });

  test('by id, in any order, and by the tool’s name', () => {
    const byId = calls({ reads: ACTS, id: 'a' }, { reads: READS, id: 'b' });
    expect([byId.answer({ id: 'b' }), byId.answer({ id: 'a' })]).toEqual([READS, ACTS]);
    const named = calls({ reads: ACTS, name: 'python' }, { reads: READS, name: 'search' });
    expect([named.answer({ name: 'search' }), named.answer({ name: 'other' })]).toEqual([
      READS,
      ACTS,
    ]);
  });

  test('with the same ids in the next turn: the latest call counts', () => {
    const open = calls({ reads: READS, id: 'c1' });
    open.answer({ id: 'c1' });
    open.add({ reads: ACTS, id: 'c1' });
    expect(open.answer({ id: 'c1' })).toBe(ACTS);
  });

  test('none that an earlier turn left open', () => {
    const open = calls({ reads: READS }, { reads: READS });
    expect(open.waiting).toBe(true);
    open.answer();
    open.add({ reads: ACTS });
    expect(open.answer()).toBe(ACTS);
    expect(open.waiting).toBe(false);
  });

  test('before any call, as the reader says', () => {
    expect(new OpenCalls(true).answer()).toBe(true);
    expect(new OpenCalls(false).answer()).toBe(false);
    expect(new OpenCalls(true).waiting).toBe(false);
  });

  test('among a hundred thousand, in one pass', () => {
    const many = Array.from({ length: 1e5 }, (_, i) => ({ reads: i % 2 === 0, name: `t${i % 3}` }));
    const open = calls(...many);
    const started = performance.now();
    for (const { name } of many.toReversed()) open.answer({ name });
    expect(open.waiting).toBe(false);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
