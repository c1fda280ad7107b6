import { variantOf, type PolicyConfig } from '../checkpoint/config.ts';
import { itemAt } from '../../base/items.ts';
import type { FeedForwardInput, Ops, ResidualInput } from '../ops/ops.ts';
import type { Activations, KvCache, Tokens } from '../ops/values.ts';
import type { Decoder } from './decoder.ts';

/** What a pass through the layers needs room for; layers share it. */
export interface ForwardBuffers {
  /** [rows, H D] */
  readonly q: Activations;
  readonly attended: Activations;
  /** [rows, M] */
  readonly inner: Activations;
}

export function forwardBuffers(
  ops: Pick<Ops, 'activations'>,
  c: PolicyConfig,
  rows: number,
): ForwardBuffers {
  const queries = c.heads * c.headDim;
  return {
    q: ops.activations(rows, queries, 'queries'),
    attended: ops.activations(rows, queries, 'attended'),
    inner: ops.activations(rows, c.intermediateSize, 'inner'),
  };
}

/** What the backward pass of a layer wants to find again. */
export interface Kept {
  /** [rows, (H + 2G) D] */
  readonly heads: Activations;
  /** [rows, H] */
  readonly lse: Activations;
  /** [rows, 2M] */
  readonly gateUp: Activations;
}

/** Attention of a layer: x += o(attention(heads(x'))), x' being `from`. */
export function attention(
  decoder: Decoder,
  layer: number,
  from: Activations,
  x: Activations,
  tokens: Tokens,
  store: KvCache,
  { q, attended }: ForwardBuffers,
  kept?: Kept,
): void {
  const { ops } = decoder;
  const { heads } = decoder.config;
  const raw = kept && { raw: kept.heads };
  ops.projectHeads({ ...headsOf(decoder, layer, from, tokens, store), q, ...raw });
  const window = decoder.windowOf(layer);
  ops.attend({ q, heads, store, tokens, window, out: attended, ...(kept && { lse: kept.lse }) });
  const { mlpNorm: next } = decoder.layer(layer);
  ops.projectResidual({ ...attentionOutput(decoder, layer, attended, tokens), x, next });
}

/** What adds the output of attention to x, and its backward twin, both take. */
export const attentionOutput = (
  decoder: Decoder,
  layer: number,
  input: Activations,
  tokens: Tokens,
): ResidualInput => {
  const { attentionOutputNorm: outputNorm } = decoder.layer(layer);
  return { input, by: decoder.projection(layer, 'o'), outputNorm, tokens };
};

/** The same of the feed-forward layer. */
export const mlpOutput = (
  decoder: Decoder,
  layer: number,
  input: Activations,
  tokens: Tokens,
): ResidualInput => {
  const { mlpOutputNorm: outputNorm } = decoder.layer(layer);
  return { input, by: decoder.projection(layer, 'down'), outputNorm, tokens };
};

/** What `feedForward` and its backward twin both take. */
export const mlpInput = (
  decoder: Decoder,
  layer: number,
  x: Activations,
  tokens: Tokens,
): FeedForwardInput => {
  const { mlpNorm: norm } = decoder.layer(layer);
  const { gate } = variantOf(decoder.config);
  return { x, norm, by: decoder.projection(layer, 'gateUp'), gate, tokens };
};

/** What `projectHeads` and its backward twin both take. */
export const headsOf = (
  decoder: Decoder,
  layer: number,
  x: Activations,
  tokens: Tokens,
  store: KvCache,
) => {
  const { inputNorm: norm, headNorms } = decoder.layer(layer);
  const rotary = decoder.rotaryOf(layer);
  const by = decoder.projection(layer, 'qkv');
  return { x, norm, by, headNorms, rotary, heads: decoder.config.heads, tokens, store };
};

/** The first `layers` layers, all by default, over x in place. */
export function runLayers(
  decoder: Decoder,
  x: Activations,
  tokens: Tokens,
  stores: readonly KvCache[],
  buffers: ForwardBuffers,
  layers = decoder.config.layers,
): void {
  for (let layer = 0; layer < layers; layer++) {
    attention(decoder, layer, x, x, tokens, itemAt(stores, layer, 'stores'), buffers);
    feedForward(decoder, layer, x, tokens, buffers);
  }
}

/**
 * All layers, of the last one only keys and values: what reading text is for where nothing is drawn.
 * x is used up.
 */
export function readKeys(
  decoder: Decoder,
  x: Activations,
  tokens: Tokens,
  stores: readonly KvCache[],
  buffers: ForwardBuffers,
): void {
  const last = decoder.config.layers - 1;
  runLayers(decoder, x, tokens, stores, buffers, last);
  const store = itemAt(stores, last, 'stores');
  decoder.ops.projectHeads({ ...headsOf(decoder, last, x, tokens, store), q: buffers.q });
}

/** x += down(feedForward(x)) */
export function feedForward(
  decoder: Decoder,
  layer: number,
  x: Activations,
  tokens: Tokens,
  { inner }: ForwardBuffers,
): void {
  const { ops } = decoder;
  ops.feedForward({ ...mlpInput(decoder, layer, x, tokens), out: inner });
  const next = decoder.normOf(layer + 1);
  ops.projectResidual({ ...mlpOutput(decoder, layer, inner, tokens), x, next });
}
