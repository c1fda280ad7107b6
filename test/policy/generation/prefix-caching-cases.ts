import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.ts';
import { sourceOf } from '../../../src/policy/checkpoint/tensor-source.ts';
import { GenerationEngine } from '../../../src/policy/generation/engine.ts';
import type { Decoder } from '../../../src/policy/model/decoder.ts';
import type { PolicyWeights } from '../../../src/policy/checkpoint/weights.ts';
import { uploadDecoder } from '../../../src/policy/model/upload.ts';
import type { Ops } from '../../../src/policy/ops/ops.ts';
import type { Generated } from '../../../src/policy/policy.ts';
import { gemmaWeights, weights as plainWeights } from './tiny-decoder.ts';

/** Text that several sessions have after the same past, on every device. */

/** Tokens of text that were read so far, by all. */
let read = 0;
let decoder: Decoder;
let engine: GenerationEngine;
const start = async (open: () => Promise<Ops>, weights: PolicyWeights): Promise<void> => {
  const ops = await open();
  const place = ops.place.bind(ops);
  ops.place = (tokens, runs, size) => {
    if (size === 'many') for (const { ids } of runs) read += ids.length;
    place(tokens, runs, size);
  };
  decoder = await uploadDecoder(ops, sourceOf(weights), { type: 'f32' });
  engine = new GenerationEngine(decoder, { maxSlots: 4, prefillChunk: 24, keys: 'f32' });
};

const text = (seed: number, count: number): number[] => {
  const random = new Random(seed);
  return Array.from({ length: count }, () => random.below(60));
};

/** Turns of a rollout: what is read, and how many tokens are drawn after it. */
type Turn = readonly [ids: readonly number[], drawn: number];

async function rollout(seed: number, turns: readonly Turn[], temperature: number) {
  const session = engine.open(seed);
  const out: Generated[] = [];
  for (const [ids, maxTokens] of turns) {
    session.append(ids);
    const sampling = { temperature, topK: 0, topP: 1 };
    out.push(await session.generate({ maxTokens, stopIds: [], sampling }));
  }
  session.close();
  return out;
}

const counted = async <T>(work: () => Promise<T>): Promise<{ result: T; read: number }> => {
  read = 0;
  const result = await work();
  return { result, read };
};

const DECODERS = { Qwen: plainWeights, 'Gemma beyond its window': gemmaWeights };

/** @param sessions how many of them are compared with what they draw alone */
export function sharedReading(open: () => Promise<Ops>, sessions: number): void {
  describe.each(Object.entries(DECODERS))(
    'text that several sessions have after the same past: %s',
    (_, weights) => {
      beforeAll(() => start(open, weights));
      afterAll(() => engine.dispose());
      const turns: Turn[] = [
        [text(1, 61), 3],
        [text(2, 41), 2],
      ];

      it('is read once where they all draw the same, but for the few that fill no panel of 8', async () => {
        const alone = await counted(() => rollout(3, turns, 0));
        expect(alone.read).toBe(60 + 41);
        const together = await counted(() =>
          Promise.all([1, 2, 3, 4, 5, 6].map((seed) => rollout(seed, turns, 0))),
        );
        expect(together.read).toBeLessThanOrEqual(alone.read + 5 * turns.length * 7);
        for (const one of together.result) expect(one).toEqual(alone.result);
      });

      it('is read again behind another token, which may have been drawn', async () => {
        const other: Turn[] = [[[...text(1, 30), 59, ...text(1, 61).slice(31)], 3]];
        expect(text(1, 61)[30]).not.toBe(59);
        const { read: both } = await counted(() =>
          Promise.all([rollout(3, turns.slice(0, 1), 0), rollout(3, other, 0)]),
        );
        // The first 30 are the same; a whole turn of reading may pass before that is seen.
        expect(both).toBeGreaterThanOrEqual(30 + 30 + 30);
        expect(both).toBeLessThanOrEqual(60 + 60);
      });

      it('changes no bit of what anybody draws', async () => {
        const random = new Random(9);
        const plans = Array.from({ length: sessions }, (_, i) => {
          // Of four kinds of beginnings, each with turns that are often those of others.
          const kind = i % 4;
          const count = 1 + random.below(4);
          const made = Array.from({ length: count }, (_unused, turn): Turn => [
            text(random.below(5) === 0 ? 100 + i : 10 * kind + turn, 20 + 10 * kind + turn),
            1 + random.below(3),
          ]);
          return { seed: i, made, temperature: i % 3 === 0 ? 0 : 0.3 };
        });
        const alone = await counted(async () => {
          const all: Generated[][] = [];
          for (const { seed, made, temperature } of plans)
            all.push(await rollout(seed, made, temperature));
          return all;
        });
        const together = await counted(() =>
          Promise.all(plans.map(({ seed, made, temperature }) => rollout(seed, made, temperature))),
        );
        expect(together.result).toEqual(alone.result);
        expect(together.read).toBeLessThan(0.8 * alone.read);
      });

      it('goes to forks with what their parent has', async () => {
        const parent = engine.open(1);
        parent.append(text(1, 61));
        const sampling = { temperature: 0, topK: 0, topP: 1 };
        const options = { maxTokens: 3, stopIds: [], sampling };
        await parent.generate(options);
        const fork = await parent.fork(2);
        parent.append(text(2, 41));
        fork.append(text(2, 41));
        const { result, read: both } = await counted(() =>
          Promise.all([parent.generate(options), fork.generate(options)]),
        );
        expect(both).toBe(41);
        expect(result[1]).toEqual(result[0]);
        parent.close();
        fork.close();
      });
    },
  );
}
