import { itemAt } from '../../../../src/base/items.ts';
import { variantOf } from '../../../../src/policy/checkpoint/config.ts';
import { ropeTables } from '../../../../src/policy/checkpoint/rope.ts';
import type { LayerWeights, PolicyWeights } from '../../../../src/policy/checkpoint/weights.ts';
import { LORA_TARGETS, type LoraSpec, type LoraTarget } from '../../../../src/policy/lora/spec.ts';
import type { RowScores } from '../../../../src/policy/lora/trainer.ts';
import type { PackedBatch } from '../../../../src/policy/lora/train-batch.ts';
import type { HeadInput, Norm, Ops, Projection } from '../../../../src/policy/ops/ops.ts';
import type {
  Activations,
  Adapter,
  AdapterShape,
  KvCache,
  Lora,
  Matrix,
  MatrixShape,
  MatrixType,
  Rotary,
  Tokens,
  TokenRun,
} from '../../../../src/policy/ops/values.ts';
import { layOut } from './builder.ts';

interface Layer {
  readonly inputNorm: Norm;
  readonly mlpNorm: Norm;
  readonly qkv: Projection;
  readonly o: Projection;
  readonly gateUp: Projection;
  readonly down: Projection;
  readonly headNorms: { q: Norm['weight']; k: Norm['weight']; eps: number } | null;
  readonly store: KvCache;
}

/** What a layer keeps for its way back. */
interface Kept {
  readonly x: Activations;
  readonly q: Activations;
  readonly raw: Activations;
  readonly out: Activations;
  readonly lse: Activations;
  readonly middle: Activations;
  readonly gateUp: Activations;
  readonly activated: Activations;
}

/** A plain decoder of block operations, all of it in memory: forward, and backward to an adapter. */
export class Decoder {
  readonly adapter: Adapter;
  readonly head: HeadInput;
  readonly #ops: Ops;
  readonly #weights: PolicyWeights;
  readonly #layers: Layer[];
  readonly #embed: Matrix;
  readonly #rotary: Rotary;
  readonly #rows: number;

  constructor(
    ops: Ops,
    weights: PolicyWeights,
    o: { type: MatrixType; spec: LoraSpec | null; rows: number; places: number },
  ) {
    this.#ops = ops;
    this.#weights = weights;
    this.#rows = o.rows;
    const c = weights.config;
    const matrix = (values: Float32Array, shape: Pick<MatrixShape, 'out' | 'in' | 'turned'>) => {
      const writer = ops.matrix({ ...shape, type: o.type }, 'matrix');
      writer.write(0, values);
      return writer.finish();
    };
    this.#embed = matrix(weights.embed, { out: c.vocabSize, in: c.hiddenSize });
    const head =
      weights.head === weights.embed
        ? this.#embed
        : matrix(weights.head, { out: c.vocabSize, in: c.hiddenSize });
    const norm = (values: Float32Array): Norm => ({
      weight: ops.vector(values, 'norm'),
      eps: c.rmsNormEps,
    });
    const { cos, sin } = ropeTables(c.maxPositions, c.headDim, c.ropeTheta, variantOf(c).rope);
    this.#rotary = ops.rotary(cos, sin, c.headDim / 2);
    this.adapter = ops.adapter(
      weights.layers.flatMap(() => this.#shapes().map(({ shape }) => this.#adapted(shape, o.spec))),
      true,
    );
    const x = ops.activations(o.rows, c.hiddenSize, 'x');
    this.head = { x, norm: norm(weights.finalNorm), head };
    this.#layers = weights.layers.map((layer, l) => {
      const projections = this.#shapes().map(({ shape, values, bias }, i): Projection => {
        const lora: Lora = itemAt(this.adapter.loras, 4 * l + i);
        const vector = bias(layer);
        return {
          matrix: matrix(values(layer), shape),
          bias: vector && ops.vector(vector, 'bias'),
          lora: lora.shape.parts.length > 0 ? lora : null,
        };
      });
      const shape = { positions: o.places, kvHeads: c.kvHeads, headDim: c.headDim };
      return {
        inputNorm: norm(layer.inputNorm),
        mlpNorm: norm(layer.mlpNorm),
        qkv: itemAt(projections, 0),
        o: itemAt(projections, 1),
        gateUp: itemAt(projections, 2),
        down: itemAt(projections, 3),
        headNorms:
          layer.qNorm && layer.kNorm
            ? { q: norm(layer.qNorm).weight, k: norm(layer.kNorm).weight, eps: c.rmsNormEps }
            : null,
        store: ops.kvCache({ ...shape, type: 'f32' }, 'keys'),
      };
    });
  }

  #shapes() {
    const c = this.#weights.config;
    const [d, M] = [c.hiddenSize, c.intermediateSize];
    const [queries, keys] = [c.heads * c.headDim, c.kvHeads * c.headDim];
    const turned = { rows: queries + keys, headDim: c.headDim };
    const parts = (...list: [target: LoraTarget, row: number, out: number][]) =>
      list.map(([target, row, out]) => ({ target, row, out }));
    return [
      {
        shape: {
          out: queries + 2 * keys,
          in: d,
          turned,
          parts: parts(
            ['q_proj', 0, queries],
            ['k_proj', queries, keys],
            ['v_proj', queries + keys, keys],
          ),
        },
        values: (l: LayerWeights) => l.qkv,
        bias: (l: LayerWeights) => l.qkvBias,
      },
      {
        shape: { out: d, in: queries, parts: parts(['o_proj', 0, d]) },
        values: (l: LayerWeights) => l.o,
        bias: (l: LayerWeights) => l.oBias,
      },
      {
        shape: { out: 2 * M, in: d, parts: parts(['gate_proj', 0, M], ['up_proj', M, M]) },
        values: (l: LayerWeights) => l.gateUp,
        bias: (l: LayerWeights) => l.gateUpBias,
      },
      {
        shape: { out: d, in: M, parts: parts(['down_proj', 0, d]) },
        values: (l: LayerWeights) => l.down,
        bias: (l: LayerWeights) => l.downBias,
      },
    ];
  }

  #adapted(
    shape: Pick<MatrixShape, 'in' | 'turned'> & {
      parts: readonly { target: LoraTarget; row: number; out: number }[];
    },
    spec: LoraSpec | null,
  ): AdapterShape {
    const targets: readonly LoraTarget[] = spec?.targets ?? [];
    return {
      in: shape.in,
      rank: spec?.rank ?? 1,
      scale: spec ? spec.alpha / spec.rank : 0,
      parts: shape.parts
        .filter(({ target }) => LORA_TARGETS.includes(target) && targets.includes(target))
        .map(({ row, out }) => ({ row, out })),
      ...(shape.turned && { turned: shape.turned }),
    };
  }

  #make(width: number): Activations {
    return this.#ops.activations(this.#rows, width, 'made');
  }

  /** Fills `head.x`; what every layer keeps. */
  forward(tokens: Tokens): Kept[] {
    const ops = this.#ops;
    const c = this.#weights.config;
    const [queries, keys] = [c.heads * c.headDim, c.kvHeads * c.headDim];
    const { x } = this.head;
    ops.embed({ table: this.#embed, tokens, x });
    return this.#layers.map((layer, l) => {
      const kept: Kept = {
        x: this.#make(c.hiddenSize),
        q: this.#make(queries),
        raw: this.#make(queries + 2 * keys),
        out: this.#make(queries),
        lse: this.#make(c.heads),
        middle: this.#make(c.hiddenSize),
        gateUp: this.#make(2 * c.intermediateSize),
        activated: this.#make(c.intermediateSize),
      };
      ops.copyRows({ from: x, to: kept.x, tokens });
      ops.projectHeads({ ...this.#heads(layer, l), x, tokens, q: kept.q, raw: kept.raw });
      ops.attend({
        q: kept.q,
        heads: c.heads,
        store: layer.store,
        tokens,
        out: kept.out,
        lse: kept.lse,
      });
      ops.projectResidual({ input: kept.out, by: layer.o, tokens, x });
      ops.copyRows({ from: x, to: kept.middle, tokens });
      const { activated: out, gateUp: raw } = kept;
      ops.feedForward({ x, norm: layer.mlpNorm, by: layer.gateUp, tokens, out, raw });
      ops.projectResidual({ input: out, by: layer.down, tokens, x });
      return kept;
    });
  }

  #heads(layer: Layer, l: number) {
    const c = this.#weights.config;
    return {
      norm: layer.inputNorm,
      by: layer.qkv,
      headNorms: layer.headNorms,
      rotary: variantOf(c).unturnedLayers.includes(l) ? null : this.#rotary,
      heads: c.heads,
      store: layer.store,
    };
  }

  /** Takes dx [rows, hidden] from after the last layer to below the first. */
  backward(tokens: Tokens, kept: readonly Kept[], dx: Activations): void {
    const ops = this.#ops;
    const c = this.#weights.config;
    const keys = c.kvHeads * c.headDim;
    for (let l = c.layers - 1; l >= 0; l--) {
      const [layer, k] = [itemAt(this.#layers, l), itemAt(kept, l)];
      const dOut = this.#make(c.intermediateSize);
      ops.projectResidualBackward({ input: k.activated, by: layer.down, tokens, dx, dInput: dOut });
      const mlp = { x: k.middle, norm: layer.mlpNorm, by: layer.gateUp, tokens, raw: k.gateUp };
      ops.feedForwardBackward({ ...mlp, dOut, dx });
      const dAttended = this.#make(c.heads * c.headDim);
      ops.projectResidualBackward({ input: k.out, by: layer.o, tokens, dx, dInput: dAttended });
      const [dq, dKeys, dValues] = [
        this.#make(c.heads * c.headDim),
        this.#make(keys),
        this.#make(keys),
      ];
      const { q, out, lse } = k;
      const attended = { q, heads: c.heads, store: layer.store, tokens, out, lse };
      ops.attendBackward({ ...attended, dOut: dAttended, dq, dKeys, dValues });
      const heads = { ...this.#heads(layer, l), x: k.x, tokens, raw: k.raw, dq, dKeys, dValues };
      ops.projectHeadsBackward({ ...heads, dx: l > 0 ? dx : null });
    }
  }

  /** Scores of a batch of whole sequences, and with `coefficients` the gradients of the adapter. */
  async learn(
    batch: PackedBatch,
    coefficients: Float32Array | null,
  ): Promise<{ scores: RowScores; gradients: Float32Array | null }> {
    const ops = this.#ops;
    const { starts } = layOut([...batch.lengths]);
    let at = 0;
    const runs = [...batch.lengths].map((length, i): TokenRun => {
      const ids = batch.ids.subarray(at, at + length);
      at += length;
      return { ids, position: 0, start: itemAt(starts, i) };
    });
    const tokens = ops.tokens(this.#rows);
    ops.place(tokens, runs, 'many');
    const kept = this.forward(tokens);
    const picks = ops.picks(batch.rows.length);
    const { rows, targets, temperatures } = batch;
    ops.placePicks(picks, { rows, targets, ...(temperatures && { temperatures }) });
    ops.score({ ...this.head, picks });
    const scores = await ops.readScores(picks);
    if (!coefficients) return { scores, gradients: null };
    const dx = this.#make(this.#weights.config.hiddenSize);
    ops.zeroGradients(this.adapter);
    ops.scoreBackward({ ...this.head, picks, tokens, coefficients, dx });
    this.backward(tokens, kept, dx);
    return { scores, gradients: await ops.readGradients(this.adapter) };
  }
}
