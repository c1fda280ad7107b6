import type { LoraSpec } from '../lora/spec.ts';
import { initAdapter } from '../lora/init.ts';
import { packBatch } from '../lora/train-batch.ts';
import { ADAPTED, type Decoder } from '../model/decoder.ts';
import { forwardBuffers, runLayers } from '../model/forward.ts';
import { stepFlops } from '../model/operations.ts';
import { DecoderLoraTrainer } from '../model/trainer.ts';
import type { KeyStore } from '../ops/values.ts';
import { timed, type DeviceRates } from './rates.ts';

/** How fast a loaded model decodes. */
export interface DecodeRate {
  readonly slots: number;
  /** Positions that every slot looks back on. */
  readonly context: number;
  readonly tokensPerSecond: number;
  /** Bytes that a step has to read (weights once, keys and values of every slot), as a share of a copy's rate. */
  readonly ofCopy: number;
}

/** How fast a loaded model is trained. */
export interface StepRate {
  readonly tokens: number;
  readonly tokensPerSecond: number;
  /** Operations of the step as a share of a product's rate. */
  readonly ofProduct: number;
}

const MODEL = { temperature: 1, topK: 0, topP: 1 };

/** Bytes of the matrices that a decode step reads: all but the rest of a table that is only looked up in. */
const matrixBytes = ({ weights: { layers, head } }: Decoder): number =>
  head.bytes +
  layers.reduce(
    (sum, layer) => sum + ADAPTED.reduce((all, name) => all + layer[name].matrix.bytes, 0),
    0,
  );

/** Decode steps of so many slots at a context. @throws the signal's reason; MemoryError */
export async function measureDecode(
  decoder: Decoder,
  slots: number,
  context: number,
  rates: DeviceRates,
  signal?: AbortSignal,
): Promise<DecodeRate> {
  const { ops, config, weights } = decoder;
  const { kvHeads, headDim, hiddenSize, layers } = config;
  const room = Math.ceil((context + 1) / 8) * 8;
  const stores: KeyStore[] = [];
  const tokens = ops.tokens(slots);
  const draws = ops.draws(slots);
  const x = ops.activations(slots, hiddenSize, 'trial');
  const buffers = forwardBuffers(ops, config, slots);
  const view = decoder.view();
  view.reach(context + 1);
  const ids = Array.from({ length: slots }, (_, slot) => [slot % config.vocabSize]);
  const runs = ids.map((id, slot) => ({ ids: id, position: context, start: slot * room }));
  const wanted = ids.map((_, row) => ({ row, seed: row, counter: 0, sampling: MODEL }));
  try {
    for (let layer = 0; layer < layers; layer++) {
      const shape = { positions: slots * room, kvHeads, headDim, type: 'f32' as const };
      stores.push(ops.keyStore(shape, `keys of layer ${layer}`));
    }
    const seconds = await timed(
      ops,
      async () => {
        ops.place(tokens, runs, 'few');
        ops.placeDraws(draws, wanted);
        view.embed(tokens, x);
        runLayers(view, x, tokens, stores, buffers);
        ops.sample({ x, norm: weights.finalNorm, head: weights.head, draws });
        ops.submit();
        await ops.readDraws(draws);
      },
      signal,
    );
    const keys = 2 * 4 * layers * kvHeads * headDim * (context + 1) * slots;
    const ofCopy = (matrixBytes(decoder) + keys) / seconds / rates.copy;
    return { slots, context, tokensPerSecond: slots / seconds, ofCopy };
  } finally {
    ops.free(...stores, tokens, draws, x, buffers.q, buffers.attended, buffers.inner);
    view.dispose();
  }
}

/** A LoRA step over all of `tokens`. @throws the signal's reason; MemoryError */
export async function measureStep(
  decoder: Decoder,
  spec: LoraSpec,
  tokens: number,
  rates: DeviceRates,
  signal?: AbortSignal,
): Promise<StepRate> {
  const { config, ops } = decoder;
  const length = Math.min(512, tokens, config.maxPositions);
  const count = Math.max(1, Math.floor(tokens / length));
  const sequences = Array.from({ length: count }, (_, s) => {
    const ids = Array.from({ length }, (__, i) => (7919 * (i + s)) % config.vocabSize);
    return { ids, weights: ids.map(() => 1) };
  });
  const batch = packBatch(sequences);
  const all = batch.ids.length;
  const limits = { maxTokens: all, maxLength: length };
  const trainer = new DecoderLoraTrainer(decoder.view(), spec, limits);
  try {
    await trainer.setAdapter(initAdapter(config, spec, 1));
    const ones = new Float32Array(batch.rows.length).fill(1 / batch.rows.length);
    const seconds = await timed(
      ops,
      async () => {
        await trainer.accumulate(batch, () => ones);
      },
      signal,
    );
    const rate = stepFlops(config, spec, all, length) / seconds;
    return { tokens: all, tokensPerSecond: all / seconds, ofProduct: rate / rates.product };
  } finally {
    trainer.dispose();
  }
}
