import { variantOf, type PolicyConfig } from '../checkpoint/config.ts';
import type { Adapted } from './decoder.ts';

/** A matrix of a decoder layer: parameters of the checkpoint, stacked by rows. */
export interface LayerMatrix {
  readonly in: number;
  /** `part` as in `model.layers.0.<part>.weight`; its rows. */
  readonly parts: readonly { readonly part: string; readonly out: number }[];
  readonly biased: boolean;
  readonly turned?: { readonly rows: number; readonly headDim: number };
}

/** Rows of the stacked q, k, v that are heads whose halves are turned together. */
export const turnedRows = ({ heads, kvHeads, headDim }: PolicyConfig) => ({
  rows: (heads + kvHeads) * headDim,
  headDim,
});

/** The matrices of every layer of a decoder. */
export function layerMatrices(config: PolicyConfig): Record<Adapted, LayerMatrix> {
  const { hiddenSize: d, intermediateSize: m, heads, kvHeads, headDim } = config;
  const [queries, keys] = [heads * headDim, kvHeads * headDim];
  const { qkvBias, oBias, mlpBias } = variantOf(config);
  return {
    qkv: {
      in: d,
      parts: [
        { part: 'self_attn.q_proj', out: queries },
        { part: 'self_attn.k_proj', out: keys },
        { part: 'self_attn.v_proj', out: keys },
      ],
      biased: qkvBias,
      turned: turnedRows(config),
    },
    o: { in: queries, parts: [{ part: 'self_attn.o_proj', out: d }], biased: oBias },
    gateUp: {
      in: d,
      parts: [
        { part: 'mlp.gate_proj', out: m },
        { part: 'mlp.up_proj', out: m },
      ],
      biased: mlpBias,
    },
    down: { in: m, parts: [{ part: 'mlp.down_proj', out: d }], biased: mlpBias },
  };
}

/** Rows of a matrix. */
export const rowsOf = ({ parts }: LayerMatrix): number =>
  parts.reduce((sum, { out }) => sum + out, 0);
