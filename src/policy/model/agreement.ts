import { logSumExp } from '../../base/statistics.ts';
import type { TensorSource } from '../checkpoint/tensor-source.ts';
import { createYield } from '../../base/yielding.ts';
import type { Activations, KvCache, MatrixType, Picks, StoreType, Tokens } from '../ops/values.ts';
import { Decoder, freeEnds, freeLayer } from './decoder.ts';
import { attention, feedForward, forwardBuffers } from './forward.ts';
import { uploadEnds, uploadLayer } from './upload.ts';

/** How near a decoder with packed weights or contexts is to the checkpoint it was made of. */
export interface Agreement {
  /** Tokens of text that were compared. */
  readonly tokens: number;
  /** Mean of KL(checkpoint ‖ packed) of the next token, nats. */
  readonly kl: number;
  /** Share of tokens where both have the same most likely next one. */
  readonly top1: number;
}

export interface AgreementOptions {
  /** What the checkpoint's matrices are held in meanwhile: one that loses nothing of it. */
  readonly type: MatrixType;
  /** What the packed decoder's keys and values are held in; float32 by default. */
  readonly keys?: StoreType;
  readonly signal?: AbortSignal;
  readonly onLayer?: (done: number, layers: number) => void;
}

/** Rows of logits that are read at a time. */
const ROWS = 16;

/**
 * Compares a decoder with its checkpoint on a text. The checkpoint is taken through layer by layer, so
 * that only one of its layers, and then its output matrix, is on the device beside the packed ones.
 * @throws the signal's reason; MemoryError
 */
export async function agreement(
  packed: Decoder,
  source: TensorSource,
  ids: readonly number[],
  { type, keys = 'f32', signal, onLayer }: AgreementOptions,
): Promise<Agreement> {
  const { ops, config } = packed;
  const { kvHeads, headDim, hiddenSize } = config;
  const heard = createYield();
  const rows = ids.length;
  const plain = new Decoder(
    ops,
    config,
    { layers: [], ...(await uploadEnds(ops, source, { type })) },
    false,
  );
  const tokens = ops.tokens(rows);
  const buffers = forwardBuffers(ops, config, rows);
  const positions = Math.ceil(rows / 8) * 8;
  const storeOf = (held: StoreType): KvCache =>
    ops.kvCache({ positions, kvHeads, headDim, type: held }, 'comparison');
  const picks = ops.picks(ROWS);
  const stream = (decoder: Decoder, held: StoreType): Stream => ({
    decoder,
    store: storeOf(held),
    x: ops.activations(rows, hiddenSize, 'comparison'),
  });
  const streams = [stream(plain, 'f32'), stream(packed.view(), keys)] as const;
  try {
    ops.place(tokens, [{ ids, position: 0, start: 0 }], 'many');
    for (const one of streams) {
      one.decoder.reach(rows);
      one.decoder.embed(tokens, one.x);
    }
    for (let layer = 0; layer < config.layers; layer++) {
      signal?.throwIfAborted();
      const held = await uploadLayer(ops, source, layer, { type });
      plain.weights.layers[layer] = held;
      for (const { decoder, store, x } of streams) {
        attention(decoder, layer, x, x, tokens, store, buffers);
        feedForward(decoder, layer, x, tokens, buffers);
      }
      ops.submit();
      await ops.settled();
      freeLayer(ops, held);
      await heard();
      onLayer?.(layer + 1, config.layers);
    }
    return await compare(streams, picks, tokens, signal);
  } finally {
    ops.free(tokens, picks, ...Object.values<Activations>({ ...buffers }));
    for (const one of streams) {
      ops.free(one.x, one.store);
      one.decoder.dispose();
    }
    freeEnds(ops, plain.weights);
  }
}

/** A decoder and what a text became in it. */
interface Stream {
  readonly decoder: Decoder;
  readonly store: KvCache;
  readonly x: Activations;
}

async function compare(
  [plain, packed]: readonly [Stream, Stream],
  picks: Picks,
  { count }: Tokens,
  signal: AbortSignal | undefined,
): Promise<Agreement> {
  let [kl, same] = [0, 0];
  for (let from = 0; from < count; from += ROWS) {
    signal?.throwIfAborted();
    const rows = Array.from({ length: Math.min(ROWS, count - from) }, (_, i) => from + i);
    const logitsOf = ({ decoder: { ops, weights }, x }: Stream): Promise<Float32Array> => {
      ops.placePicks(picks, { rows, targets: rows.map(() => 0) });
      return ops.readLogits({ x, norm: weights.finalNorm, head: weights.head, picks });
    };
    const [a, b] = [await logitsOf(plain), await logitsOf(packed)];
    const vocabulary = a.length / rows.length;
    for (let row = 0; row < rows.length; row++) {
      const at = row * vocabulary;
      const one = compareRow(a.subarray(at, at + vocabulary), b.subarray(at, at + vocabulary));
      kl += one.kl;
      same += one.same ? 1 : 0;
    }
  }
  return { tokens: count, kl: kl / count, top1: same / count };
}

function compareRow(p: Float32Array, q: Float32Array): { kl: number; same: boolean } {
  const [ofP, ofQ] = [logSumExp(p), logSumExp(q)];
  let [kl, topP, topQ] = [0, 0, 0];
  for (let id = 0; id < p.length; id++) {
    const [a, b] = [p[id] ?? 0, q[id] ?? 0];
    kl += Math.exp(a - ofP) * (a - ofP - (b - ofQ));
    if (a > (p[topP] ?? 0)) topP = id;
    if (b > (q[topQ] ?? 0)) topQ = id;
  }
  return { kl, same: topP === topQ };
}
