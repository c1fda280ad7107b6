import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RolloutUpdate } from '../../../src/records/updates.ts';
import { createUpdateBatcher } from '../../../src/lab/ask/host.ts';
import { applyUpdates, EMPTY_TABLE } from '../../../src/ui/ask/store/apply-updates.ts';
import { emptyRollout, policySegment } from '../../fixtures/rollouts.ts';

const tokens = (rolloutId: string, index: number, id: number): RolloutUpdate => ({
  rolloutId,
  type: 'tokens',
  index,
  ids: [id],
  logprobs: [-id],
  entropies: [id / 2],
  text: `t${id}`,
});

/** A batcher whose clock is wound by hand. */
const manual = () => {
  const sent: RolloutUpdate[][] = [];
  const due: (() => void)[] = [];
  const batcher = createUpdateBatcher(
    (updates) => sent.push(updates),
    40,
    (run) => due.push(run),
  );
  return { sent, batcher, tick: () => due.splice(0).forEach((run) => run()), due };
};

describe('the update batcher', () => {
  it('sends one message for many tokens of many rollouts', () => {
    const { sent, batcher, tick, due } = manual();
    for (let id = 0; id < 10; id++) {
      for (const rollout of ['a', 'b']) batcher.push(tokens(rollout, 3, id));
    }
    expect(sent).toEqual([]);
    expect(due).toHaveLength(1);
    tick();
    expect(sent).toHaveLength(1);
    expect(sent[0]).toHaveLength(2);
    expect(sent[0]?.[0]).toMatchObject({ rolloutId: 'a', ids: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] });
  });

  it('sends a replaced segment once and nothing when nothing came', () => {
    const { sent, batcher, tick } = manual();
    batcher.push({ rolloutId: 'a', type: 'segment', index: 0, segment: policySegment([1]) });
    batcher.push(tokens('a', 0, 2));
    batcher.push({ rolloutId: 'a', type: 'segment', index: 0, segment: policySegment([1, 2]) });
    tick();
    expect(sent).toEqual([
      [{ rolloutId: 'a', type: 'segment', index: 0, segment: policySegment([1, 2]) }],
    ]);
    batcher.flush();
    expect(sent).toHaveLength(1);
  });

  it('rebuilds the same rollouts as the updates one by one, wherever it is flushed', () => {
    const step = fc.record({
      rollout: fc.constantFrom('a', 'b'),
      id: fc.nat(99),
      cut: fc.boolean(),
    });
    const property = fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const sent: RolloutUpdate[] = [];
      const batcher = createUpdateBatcher(
        (updates) => sent.push(...updates),
        40,
        () => undefined,
      );
      const all: RolloutUpdate[] = ['a', 'b'].flatMap((rolloutId): RolloutUpdate[] => [
        { rolloutId, type: 'started', rollout: emptyRollout(rolloutId) },
        { rolloutId, type: 'segment', index: 0, segment: policySegment([]) },
      ]);
      all.forEach(batcher.push);
      for (const { rollout, id, cut } of steps) {
        const update = tokens(rollout, 0, id);
        all.push(update);
        batcher.push(update);
        if (cut) batcher.flush();
      }
      batcher.flush();
      expect(applyUpdates(EMPTY_TABLE, sent)).toEqual(applyUpdates(EMPTY_TABLE, all));
    });
    fc.assert(property);
  });
});
