import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Random } from '../../../src/base/random.ts';
import { DeviceError } from '../../../src/policy/ops/faults.ts';
import { oracleOps } from './oracle/oracle.ts';
import type { Drawn, Norm, Ops } from '../../../src/policy/ops/ops.ts';
import type { StoreType, TokenRun } from '../../../src/policy/ops/values.ts';
import type { Sampling } from '../../../src/policy/policy.ts';
import type { WebGpuOps } from '../../../src/policy/webgpu/ops.ts';
import { GpuAdapter, own } from '../../../src/policy/webgpu/device/values.ts';
import { Builder } from './support/builder.ts';
import { difference } from './support/compare.ts';
import { openOps } from './support/swiftshader.ts';

// A software driver compiles and runs these for a while.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 60_000 });

// Kernels as a GPU runs them; those of a CPU that is in for one are run by the other tests.
let ops: WebGpuOps;
beforeAll(async () => {
  ops = await openOps({ software: false });
});
afterAll(() => ops.dispose());

it('gives an adapter’s gradients in the order of its values', async () => {
  const turned = { rows: 24, headDim: 12 };
  const parts = [
    { row: 0, out: 24 },
    { row: 40, out: 7 },
  ];
  const adapter = ops.adapter(
    [
      { in: 37, rank: 3, scale: 2, parts, turned },
      { in: 5, rank: 8, scale: 2, parts: [{ row: 0, out: 3 }] },
    ],
    true,
  );
  const values = new Float32Array(adapter.length);
  new Random(1).fillNormal(values, 1);
  ops.writeAdapter(adapter, values);
  const { values: held, gradients } = own(GpuAdapter, adapter);
  if (!gradients) throw new Error('no gradients');
  ops.gpu.encoder.copy(held, 0, gradients, 0, held.size);
  expect(await ops.readGradients(adapter)).toEqual(values);
  ops.zeroGradients(adapter);
  expect(await ops.readGradients(adapter)).toEqual(values.map(() => 0));
  const before = ops.bytes;
  ops.free(adapter);
  await ops.settled();
  expect(before - ops.bytes).toBe(held.size + gradients.size);
});

/** A decoder of one layer with an odd head size, a vocabulary of several slices, an adapter, and 64 slots. */
class Layer {
  readonly capacity = 1216;
  readonly d = 96;
  private readonly b: Builder;
  private readonly parts;

  constructor(
    readonly ops: Ops,
    adapted: boolean,
    keys: StoreType = 'f32',
    /** With a window shorter than the texts, norms of outputs, GELU, and scaled embeddings. */
    readonly gemma = false,
  ) {
    const b = (this.b = new Builder(ops, 7));
    const [d, H, G, D, M, V] = [this.d, 4, 2, 18, 72, 2100];
    const sizes = { type: 'int4', bias: true, rank: 5 } as const;
    const lora = (outs: number[], input: number, turned?: { rows: number; headDim: number }) =>
      b.projection(sizes, outs, input, { lora: adapted, turned }).by;
    this.parts = {
      table: b.matrix({
        out: V,
        in: d,
        type: 'int8',
      }),
      D,
      H,
      first: b.norm(d, 1e-6),
      second: b.norm(d, 1e-6),
      last: b.norm(d, 1e-6),
      outputNorms: gemma ? [b.norm(d, 1e-6), b.norm(d, 1e-6)] : [null, null],
      qkv: lora([H * D, G * D, G * D], d, {
        rows: (H + G) * D,
        headDim: D,
      }),
      out: lora([d], H * D),
      mlp: lora([M, M], d),
      down: lora([d], M),
      rotary: b.rotary(this.capacity, D),
      store: ops.kvCache(
        {
          positions: 3 * this.capacity,
          kvHeads: G,
          headDim: D,
          type: keys,
        },
        'keys',
      ),
      tokens: ops.tokens(64),
      draws: ops.draws(64),
      x: ops.activations(64, d, 'x'),
      q: ops.activations(64, H * D, 'q'),
      a: ops.activations(64, H * D, 'a'),
      m: ops.activations(64, M, 'm'),
    };
  }

  /** Keys and values of a context's first positions. */
  read(run: TokenRun): void {
    const { ops, d } = this;
    const { table, first, qkv, rotary, store, H, D } = this.parts;
    const tokens = this.b.tokens([run], 'many');
    const [x, q] = [ops.activations(tokens.rows, d, 'x'), ops.activations(tokens.rows, H * D, 'q')];
    ops.embed({ table, tokens, x });
    ops.projectHeads({
      x,
      norm: first,
      by: qkv,
      headNorms: null,
      rotary,
      heads: H,
      tokens,
      store,
      q,
    });
  }

  /** What is drawn after one token of each run. */
  step(
    runs: readonly TokenRun[],
    sampling: Sampling | ((run: TokenRun) => Sampling),
    hint: boolean,
  ): void {
    const samplingOf = typeof sampling === 'function' ? sampling : () => sampling;
    const { ops } = this;
    const { table, first, second, last, qkv, out, mlp, down, rotary, store, H } = this.parts;
    const { tokens, draws, x, q, a, m, outputNorms } = this.parts;
    const [afterAttention, afterMlp] = outputNorms;
    const scale = this.gemma ? 9.75 : 1;
    const next = (norm: Norm): { next?: Norm } => (hint ? { next: norm } : {});
    ops.place(tokens, runs, 'few');
    ops.placeDraws(
      draws,
      runs.map((run, row) => ({
        row,
        seed: run.start,
        counter: run.position,
        sampling: samplingOf(run),
      })),
    );
    ops.embed({ table, tokens, x, scale, ...next(first) });
    ops.projectHeads({
      x,
      norm: first,
      by: qkv,
      headNorms: null,
      rotary,
      heads: H,
      tokens,
      store,
      q,
    });
    ops.attend({ q, heads: H, store, tokens, window: this.gemma ? 133 : undefined, out: a });
    const attended = { input: a, by: out, outputNorm: afterAttention };
    ops.projectResidual({ ...attended, tokens, x, ...next(second) });
    ops.feedForward({
      x,
      norm: second,
      by: mlp,
      gate: this.gemma ? 'gelu' : 'silu',
      tokens,
      out: m,
    });
    ops.projectResidual({ input: m, by: down, outputNorm: afterMlp, tokens, x, ...next(last) });
    ops.sample({ x, norm: last, head: table, draws });
  }

  async results(rows: number): Promise<{ x: Float32Array; drawn: Drawn[] }> {
    const drawn = await this.ops.readDraws(this.parts.draws);
    return { drawn, x: await this.ops.readActivations(this.parts.x, rows) };
  }
}

const PLAIN: Sampling = { temperature: 1, topK: 0, topP: 1 };
const idsOf = (count: number): number[] => Array.from({ length: count }, (_, i) => (i * 37) % 2100);

describe('a layer', () => {
  // Beginning, within the first 64 positions, beyond 64, and where chunks are longer than 64. Three tokens of each
  // context, of which the last one sees the new keys of the others.
  const runs: TokenRun[] = [1150, 70, 0].flatMap((longest, context) =>
    [longest, longest >> 1, longest >> 2].map((position) => ({
      ids: [position + 5],
      position,
      start: context * 1216,
    })),
  );

  const layers = { plain: new Map<Ops, Layer>(), gemma: new Map<Ops, Layer>() };
  const layer = (on: Ops, kind: keyof typeof layers = 'plain'): Layer => {
    const known = layers[kind].get(on);
    if (known) return known;
    const made = new Layer(on, true, 'f32', kind === 'gemma');
    made.read({ ids: idsOf(1151), position: 0, start: 0 });
    made.read({ ids: idsOf(71), position: 0, start: 1216 });
    layers[kind].set(on, made);
    return made;
  };
  const KINDS = ['plain', 'gemma'] as const;

  it.each(KINDS)(
    'computes what the oracle does, over long and short contexts: %s',
    async (kind) => {
      const oracle = oracleOps();
      const [one, other] = [layer(ops, kind), layer(oracle, kind)];
      for (const each of [one, other]) each.step(runs, PLAIN, true);
      const [got, expected] = [await one.results(runs.length), await other.results(runs.length)];
      expect(difference(got.x, expected.x)).toBeLessThan(1e-5);
      expect(got.drawn.map(({ id }) => id)).toEqual(expected.drawn.map(({ id }) => id));
      const numbers = ({ drawn }: typeof got): number[] =>
        drawn.flatMap(({ logprob, entropy }) => [logprob, entropy]);
      expect(difference(numbers(got), numbers(expected))).toBeLessThan(1e-5);
    },
  );

  it('does so over contexts in halves, to what one rounding of a key may change', async () => {
    const oracle = oracleOps();
    const [one, other] = [new Layer(ops, false, 'f16'), new Layer(oracle, false, 'f16')];
    for (const each of [one, other]) {
      each.read({ ids: idsOf(1151), position: 0, start: 0 });
      each.read({ ids: idsOf(71), position: 0, start: 1216 });
      each.step(runs, PLAIN, true);
    }
    const [got, expected] = [await one.results(runs.length), await other.results(runs.length)];
    expect(difference(got.x, expected.x)).toBeLessThan(1e-3);
    expect(got.drawn.map(({ id }) => id)).toEqual(expected.drawn.map(({ id }) => id));
  });

  it.each(KINDS)(
    'gives a row the same bits whoever shares the step, and whether or not the next norm is said: %s',
    async (kind) => {
      const one = layer(ops, kind);
      const sampling = { temperature: 0.8, topK: 300, topP: 0.9 };
      const many = Array.from({ length: 23 }, (_, i) => runs[i % runs.length] ?? runs[0]).filter(
        (run) => run !== undefined,
      );
      one.step(many, sampling, true);
      const together = await one.results(many.length);
      for (const [count, hint] of [
        [1, true],
        [1, false],
        [3, true],
        [9, false],
      ] as const)
        for (let at = 0; at + count <= 9; at += count) {
          one.step(many.slice(at, at + count), sampling, hint);
          const alone = await one.results(count);
          expect(alone.x).toEqual(together.x.subarray(at * one.d, (at + count) * one.d));
          expect(alone.drawn).toEqual(together.drawn.slice(at, at + count));
        }
    },
  );

  it('draws a row by temperature with the same bits beside rows of top-k and top-p', async () => {
    const one = layer(ops);
    const samplingOf = ({ position }: TokenRun): Sampling =>
      position % 2 === 0 ? PLAIN : { temperature: 0.9, topK: 50, topP: 0.8 };
    one.step(runs, samplingOf, true);
    const together = await one.results(runs.length);
    for (const [at, run] of runs.entries()) {
      one.step([run], samplingOf, true);
      expect((await one.results(1)).drawn).toEqual(together.drawn.slice(at, at + 1));
    }
    expect(new Set(runs.map(samplingOf)).size).toBeGreaterThan(1);
  });

  it('takes one submit and six dispatches, and makes nothing when it is repeated', async () => {
    const plain = new Layer(ops, false);
    // As contexts decode: each of them once.
    const apart = runs.filter((_, i) => i % 3 === 0);
    const step = async (): Promise<Record<string, number>> => {
      const before = { ...ops.gpu.encoder.counts };
      plain.step(apart, PLAIN, true);
      await plain.results(0);
      const { counts } = ops.gpu.encoder;
      return {
        dispatches: counts.dispatches - before.dispatches,
        submits: counts.submits - before.submits,
        bindGroups: counts.bindGroups - before.bindGroups,
        pipelines: counts.pipelines - before.pipelines,
      };
    };
    await ops.warmUp(() => plain.step(apart, PLAIN, true));
    expect(await step()).toMatchObject({ pipelines: 0 });
    // One to embed, six in the layer; for the draw sums of blocks, the choice of one, its logits.
    expect(await step()).toEqual({ dispatches: 10, submits: 1, bindGroups: 0, pipelines: 0 });
  });

  it('computes the same without subgroups', async () => {
    const bare = await openOps({ software: false, without: ['subgroups', 'f16'] });
    expect(bare.gpu.device.features).toMatchObject({ subgroups: false, f16: false });
    const [one, other] = [layer(ops), layer(bare)];
    for (const each of [one, other]) each.step(runs, PLAIN, true);
    const [got, expected] = [await one.results(runs.length), await other.results(runs.length)];
    expect(got.x).toEqual(expected.x);
    bare.dispose();
  });
});

describe('a device that binds little at once', () => {
  it('has a matrix in several buffers', async () => {
    const small = await openOps({ limits: { maxStorageBufferBindingSize: 20_000 } });
    const run = async (on: Ops): Promise<Float32Array[]> => {
      const b = new Builder(on, 5);
      const table = b.matrix({ out: 259, in: 37, type: 'f32' });
      const tokens = b.tokens(
        [0, 63, 64, 200, 258].map((id, i) => ({ ids: [id], position: 0, start: 8 * i })),
        'few',
      );
      const x = on.activations(tokens.rows, 37, 'x');
      on.embed({ table, tokens, x });
      const draws = on.draws(5);
      on.placeDraws(
        draws,
        Array.from({ length: 5 }, (_, row) => ({ row, seed: row, counter: 9, sampling: PLAIN })),
      );
      on.sample({ x, norm: b.norm(37, 1e-6), head: table, draws });
      const drawn = await on.readDraws(draws);
      const logprobs = Float32Array.from(drawn, ({ modelLogprob }) => modelLogprob);
      return [await on.readActivations(x, 5), Float32Array.from(drawn, ({ id }) => id), logprobs];
    };
    const [expected, got] = [await run(oracleOps()), await run(small)];
    expect(got[0]).toEqual(expected[0]);
    expect(got[1]).toEqual(expected[1]);
    expect(difference(got[2] ?? [], expected[2] ?? [])).toBeLessThan(1e-5);
    small.dispose();
  });

  it('refuses what it cannot hold, in words', async () => {
    const small = await openOps({
      limits: { maxStorageBufferBindingSize: 20_000, maxBufferSize: 1_000_000 },
    });
    expect(() => small.activations(10_000, 64, 'activations')).toThrow(DeviceError);
    expect(() => small.activations(10_000, 64, 'activations')).toThrow(
      /activations needs a buffer of/,
    );
    expect(() => small.matrix({ out: 64, in: 4000, type: 'f32' }, 'weights')).toThrow(
      /smaller weight type/,
    );
    small.dispose();
  });
});
