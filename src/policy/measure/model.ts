import type { LoraSpec } from '../lora/spec.ts';
import { ADAPTED, type Decoder } from '../model/decoder.ts';
import { stepFlops } from '../model/operations.ts';
import type { StoreType } from '../ops/values.ts';
import { timed, type DeviceRates, type Watch } from './rates.ts';
import { decodeTrial, stepTrial } from './trials.ts';

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

/** Bytes of the matrices that a decode step reads: all but the rest of a table that is only looked up in. */
const matrixBytes = ({ weights: { layers, head } }: Decoder): number =>
  head.bytes +
  layers.reduce(
    (sum, layer) => sum + ADAPTED.reduce((all, name) => all + layer[name].matrix.bytes, 0),
    0,
  );

/** Bytes that a decode step has to read: the matrices once, keys and values of every slot. */
export function decodeBytes(
  decoder: Decoder,
  { slots, context, keys }: { slots: number; context: number; keys: StoreType },
): number {
  const { layers, kvHeads, headDim } = decoder.config;
  const each = (keys === 'f16' ? 2 : 4) * layers * kvHeads * headDim;
  return matrixBytes(decoder) + 2 * each * (context + 1) * slots;
}

/** Decode steps of this many slots at a context. @throws the signal's reason; MemoryError */
export async function measureDecode(
  decoder: Decoder,
  { slots, context, keys }: { slots: number; context: number; keys: StoreType },
  rates: DeviceRates,
  watch?: Watch,
): Promise<DecodeRate> {
  const trial = decodeTrial(decoder, slots, context, keys);
  try {
    const seconds = await timed(decoder.ops, () => trial.run(), watch);
    const ofCopy = decodeBytes(decoder, { slots, context, keys }) / seconds / rates.copy;
    return { slots, context, tokensPerSecond: slots / seconds, ofCopy };
  } finally {
    trial.free();
  }
}

/** A LoRA step over all of `tokens`. @throws the signal's reason; MemoryError */
export async function measureStep(
  decoder: Decoder,
  { spec, tokens, keys }: { spec: LoraSpec; tokens: number; keys: StoreType },
  rates: DeviceRates,
  watch?: Watch,
): Promise<StepRate> {
  const trial = await stepTrial(decoder, spec, tokens, undefined, keys);
  try {
    const seconds = await timed(decoder.ops, () => trial.run(), watch);
    const rate = stepFlops(decoder.config, spec, trial.tokens, trial.length) / seconds;
    return {
      tokens: trial.tokens,
      tokensPerSecond: trial.tokens / seconds,
      ofProduct: rate / rates.product,
    };
  } finally {
    trial.free();
  }
}
