import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { readSafetensors } from '../../../src/policy/checkpoint/safetensors.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import { createTrainableWasmOps } from '../../../src/policy/wasm/ops.ts';
import { Trainer } from '../../../src/pretrain/policy/train.ts';
import { readWeights } from '../../../src/policy/checkpoint/weights.ts';

/** A small random Qwen3 and what transformers computes with it; made by make_fixture.py. */
const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../fixtures/qwen3-tiny/${name}`, import.meta.url));
const { sequences } = z
  .object({
    sequences: z.array(z.object({ ids: z.array(z.number()), positions: z.array(z.number()) })),
  })
  .parse(JSON.parse(fixture('expected.json').toString()));
const expected = readSafetensors(fixture('expected.safetensors'));

/** −log softmax(row)[id] in double precision. */
function negativeLogProbability(row: Float32Array, id: number): number {
  const top = Math.max(...row);
  const sum = row.reduce((total, x) => total + Math.exp(x - top), 0);
  return top + Math.log(sum) - row[id]!;
}

it.each([true, false])(
  'the training forward pass agrees with transformers, sequences packed (relaxed %s)',
  async (relaxed) => {
    const config = parsePolicyConfig(JSON.parse(fixture('config.json').toString()));
    const trainer = await Trainer.create(config, { maxTokens: 1024, maxLength: 256 }, () =>
      createTrainableWasmOps(relaxed && undefined),
    );
    trainer.setWeights(readWeights(config, fixture('model.safetensors')).flat);
    // The last position has no next token inside the sequence, so it is not compared here.
    const compared = sequences.map(({ ids, positions }) =>
      positions.filter((p) => p + 1 < ids.length),
    );
    const batch = packBatch(
      sequences.map(({ ids }, s) => ({
        ids,
        weights: ids.map((_, i) => (compared[s]!.includes(i - 1) ? 1 : 0)),
      })),
    );
    const { nll, right } = await trainer.evaluate(batch);
    let at = 0;
    sequences.forEach(({ ids, positions }, s) => {
      const { data } = expected.get(`logits.${s}`)!;
      for (const position of compared[s]!) {
        const first = positions.indexOf(position) * config.vocabSize;
        const row = data.subarray(first, first + config.vocabSize);
        const next = ids[position + 1]!;
        expect(Math.abs(nll[at]! - negativeLogProbability(row, next))).toBeLessThan(1e-4);
        expect(right[at]).toBe(row[next] === Math.max(...row) ? 1 : 0);
        at++;
      }
    });
    expect(at).toBe(nll.length);
    expect(at).toBeGreaterThan(30);
  },
);
