import { initAdapter } from '../lora/init.ts';
import type { LoraSpec } from '../lora/spec.ts';
import { packBatch } from '../lora/train-batch.ts';
import type { Decoder } from '../model/decoder.ts';
import { forwardBuffers, readKeys, runLayers } from '../model/forward.ts';
import { DecoderLoraTrainer } from '../model/trainer.ts';
import type { Activations, KvCache, StoreType } from '../ops/values.ts';

/** Work of a loaded model that can be repeated: what is measured and counted. */
export interface Trial {
  run(): Promise<void>;
  free(): void;
}

const MODEL = { temperature: 1, topK: 0, topP: 1 };
const roomFor = (positions: number): number => Math.ceil(positions / 8) * 8;

/** A store per layer, and what a pass over `rows` rows computes in. @throws MemoryError */
function passOver(decoder: Decoder, rows: number, positions: number, type: StoreType) {
  const { ops, config } = decoder;
  const { kvHeads, headDim, hiddenSize } = config;
  const stores: KvCache[] = [];
  try {
    for (let layer = 0; layer < config.layers; layer++) {
      const shape = { positions, kvHeads, headDim, type };
      stores.push(ops.kvCache(shape, `keys of layer ${layer}`));
    }
  } catch (error) {
    ops.free(...stores);
    throw error;
  }
  const tokens = ops.tokens(rows);
  const x = ops.activations(rows, hiddenSize, 'rows');
  const buffers = forwardBuffers(ops, config, rows);
  const view = decoder.view();
  const free = (): void => {
    ops.free(...stores, tokens, x, ...Object.values<Activations>({ ...buffers }));
    view.dispose();
  };
  return { stores, tokens, x, buffers, view, free };
}

/** A decode step of `slots` contexts that look back on `context` positions. @throws MemoryError */
export function decodeTrial(
  decoder: Decoder,
  slots: number,
  context: number,
  keys: StoreType = 'f32',
): Trial {
  const { ops, config, weights } = decoder;
  const room = roomFor(context + 1);
  const { stores, tokens, x, buffers, view, free } = passOver(decoder, slots, slots * room, keys);
  const draws = ops.draws(slots);
  view.reach(context + 1);
  const runs = Array.from({ length: slots }, (_, slot) => ({
    ids: [slot % config.vocabSize],
    position: context,
    start: slot * room,
  }));
  const wanted = runs.map((_, row) => ({ row, seed: row, counter: 0, sampling: MODEL }));
  return {
    run: async () => {
      ops.place(tokens, runs, 'few');
      ops.placeDraws(draws, wanted);
      view.embed(tokens, x);
      runLayers(view, x, tokens, stores, buffers);
      ops.sample({ x, norm: weights.finalNorm, head: weights.head, draws });
      await ops.readDraws(draws);
    },
    free: () => {
      ops.free(draws);
      free();
    },
  };
}

/** Reading `contexts` texts of `length` tokens in one call. @throws MemoryError */
export function readTrial(decoder: Decoder, contexts: number, length: number): Trial {
  const { ops, config } = decoder;
  const rows = contexts * length;
  const room = roomFor(length);
  const { stores, tokens, x, buffers, view, free } = passOver(
    decoder,
    rows,
    contexts * room,
    'f32',
  );
  view.reach(length);
  const ids = Array.from({ length }, (_, i) => i % config.vocabSize);
  const runs = Array.from({ length: contexts }, (_, i) => ({ ids, position: 0, start: i * room }));
  return {
    run: async () => {
      ops.place(tokens, runs, 'many');
      view.embed(tokens, x);
      readKeys(view, x, tokens, stores, buffers);
      ops.submit();
      await ops.settled();
    },
    free,
  };
}

/** A LoRA step of a trial. */
export interface StepTrial extends Trial {
  readonly tokens: number;
  readonly length: number;
}

/**
 * Forward and backward of a LoRA step over `tokens` tokens in sequences of at most `length`, all of whose
 * tokens are trained, and its gradients read. @throws MemoryError
 */
export async function stepTrial(
  decoder: Decoder,
  spec: LoraSpec,
  tokens: number,
  longest = 512,
  keys: StoreType = 'f32',
): Promise<StepTrial> {
  const { config } = decoder;
  const length = Math.min(longest, tokens, config.maxPositions);
  const count = Math.max(1, Math.floor(tokens / length));
  const batch = packBatch(
    Array.from({ length: count }, (_, s) => {
      const ids = Array.from({ length }, (__, i) => (7919 * (i + s)) % config.vocabSize);
      return { ids, weights: ids.map(() => 1) };
    }),
  );
  const all = batch.ids.length;
  const limits = { maxTokens: all, maxLength: length };
  const trainer = new DecoderLoraTrainer(decoder.view(), spec, limits, keys);
  await trainer.setAdapter(initAdapter(config, spec, 1));
  const coefficients = new Float32Array(batch.rows.length).fill(1 / batch.rows.length);
  return {
    tokens: all,
    length,
    run: async () => {
      trainer.zeroGradients();
      await trainer.accumulate(batch, () => coefficients);
      await trainer.gradients();
    },
    free: () => trainer.dispose(),
  };
}
