import { afterEach, expect, it } from 'vitest';
import { CountedEngine } from '../../../bench/gpu-counts/count.ts';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { initAdapter } from '../../../src/policy/lora/init.ts';
import type { LoraSpec } from '../../../src/policy/lora/spec.ts';
import { packBatch, type PackedBatch } from '../../../src/policy/lora/train-batch.ts';
import { decodeTrial } from '../../../src/policy/measure/trials.ts';
import { DecoderLoraTrainer } from '../../../src/policy/model/trainer.ts';
import { MemoryError } from '../../../src/policy/ops/faults.ts';

/** Training on a GPU whose memory ends, which says so after the call that asked for it. */

const config = parsePolicyConfig({
  vocab_size: 4000,
  hidden_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 96,
  max_position_embeddings: 500,
});
const SPEC: LoraSpec = { rank: 4, alpha: 8, targets: ['q_proj', 'down_proj'] };
const ADVICE = /memory for a step of 2048 tokens.*nothing was lost.*micro-tokens.*int4/;

let engine: CountedEngine | null = null;
afterEach(() => engine?.close());

const batchOf = (sequences: number, length: number): PackedBatch =>
  packBatch(
    Array.from({ length: sequences }, () => ({
      ids: Array.from({ length }, (_, i) => i),
      weights: Array.from({ length }, () => 1),
    })),
  );
const WHOLE = batchOf(8, 256);

function trainerOn({ decoder }: CountedEngine, maxTokens = 2048): DecoderLoraTrainer {
  return new DecoderLoraTrainer(decoder.view(), SPEC, { maxTokens, maxLength: 256 });
}

async function step(trainer: DecoderLoraTrainer, batch: PackedBatch): Promise<void> {
  await trainer.setAdapter(initAdapter(config, SPEC, 1));
  trainer.zeroGradients();
  await trainer.accumulate(batch, () => new Float32Array(batch.rows.length));
  await trainer.gradients();
}

/** Bytes of the weights with a trainer beside them, and once it took a step. */
async function sizes() {
  engine = await CountedEngine.start(config, 'f32');
  const trainer = trainerOn(engine);
  const made = engine.gpu.counter.liveBytes;
  await step(trainer, WHOLE);
  const stepped = engine.gpu.counter.liveBytes;
  engine.close();
  return { made, stepped };
}

/** What else the engine does continues, and so does a smaller trainer. */
async function goesOn(on: CountedEngine): Promise<void> {
  const trial = decodeTrial(on.decoder, 2, 100);
  await trial.run();
  trial.free();
  const smaller = trainerOn(on, 256);
  await step(smaller, batchOf(1, 256));
  smaller.dispose();
}

it('says what to do where a trainer has no room, and everything else goes on', async () => {
  const { made } = await sizes();
  engine = await CountedEngine.start(config, 'f32', { memory: made - 1e5 });
  const { ops } = engine.decoder;
  const before = ops.bytes;
  const trainer = trainerOn(engine);
  await expect(trainer.setAdapter(null)).rejects.toThrow(MemoryError);
  await expect(trainer.setAdapter(null)).rejects.toThrow(ADVICE);
  await expect(trainer.score(WHOLE)).rejects.toThrow(ADVICE);
  trainer.dispose();
  await ops.settled();
  expect(ops.bytes).toBe(before);
  await goesOn(engine);
});

it('says so before anything of a step runs whose working memory has no room', async () => {
  const { made, stepped } = await sizes();
  expect(stepped).toBeGreaterThan(made * 1.2);
  engine = await CountedEngine.start(config, 'f32', { memory: (made + stepped) / 2 });
  const { counter } = engine.gpu;
  const trainer = trainerOn(engine);
  await trainer.setAdapter(initAdapter(config, SPEC, 1));
  const held = engine.decoder.ops.bytes;
  counter.restart();
  await expect(
    trainer.accumulate(WHOLE, () => new Float32Array(WHOLE.rows.length)),
  ).rejects.toThrow(ADVICE);
  expect(counter.counts.dispatches).toBe(0);
  expect(engine.decoder.ops.bytes).toBe(held);
  // The same trainer takes less at a time.
  await step(trainer, batchOf(1, 200));
  trainer.dispose();
  await goesOn(engine);
});

it('keeps its contexts where more of them have no room', async () => {
  const { made } = await sizes();
  engine = await CountedEngine.start(config, 'f32', { memory: made + 1e5 });
  const { ops } = engine.decoder;
  const trainer = trainerOn(engine);
  await trainer.setAdapter(null);
  const held = ops.bytes;
  // Each begins at a multiple of 8, which is more than there is room for at first.
  await expect(trainer.score(batchOf(1000, 2))).rejects.toThrow(ADVICE);
  expect(ops.bytes).toBe(held);
  await ops.settled();
});
