import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Random } from '../../../src/base/random.ts';
import { draw, drawNumber } from '../../../src/policy/ops/draw.ts';
import { oracleOps } from './oracle/oracle.ts';
import type { Draw } from '../../../src/policy/ops/ops.ts';
import type { Sampling } from '../../../src/policy/policy.ts';
import type { WebGpuOps } from '../../../src/policy/webgpu/ops.ts';
import { GpuActivations, own } from '../../../src/policy/webgpu/device/values.ts';
import { ALL_TESTS } from '../../slow/slow.ts';
import { Builder } from './support/builder.ts';
import { opCases } from './support/cases.ts';
import { expectSame } from './support/compare.ts';
import { openOps } from './support/swiftshader.ts';

// A software driver compiles and runs these for a while.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 60_000 });

let ops: WebGpuOps;
beforeAll(async () => {
  ops = await openOps();
});
afterAll(() => ops.dispose());

const PLAIN: Sampling = { temperature: 1, topK: 0, topP: 1 };

// That each type of weights is read rightly is held by the projections of a few rows, which read a head as this does.
const cases = [...opCases(1)].filter(({ name }) => name.startsWith('draws'));
it.each(ALL_TESTS ? cases : cases.slice(-1))('$name', async (one) => {
  await expectSame(one, oracleOps(), ops, 1e-5);
  await ops.settled();
});

describe('draws', () => {
  const ROWS = 64;
  const SAMPLINGS: Sampling[] = [
    { temperature: 1, topK: 40, topP: 1 },
    { temperature: 1, topK: 0, topP: 0.9 },
    { temperature: 0.7, topK: 50, topP: 0.95 },
    { temperature: 1.5, topK: 1, topP: 0.5 },
    { temperature: 0, topK: 3, topP: 0.5 },
    { temperature: 2, topK: 2499, topP: 0.999 },
    { temperature: 1, topK: 5000, topP: 1 },
    { temperature: 0.02, topK: 0, topP: 1 },
  ];

  /** What sums in float32 may be off by. */
  const OFF = 5e-7;

  /** The host's draw, and whether it is the same where its number and the limit of top-p are off by `OFF`. */
  function settled(logits: Float32Array, sampling: Sampling, number: number) {
    const expected = draw(logits, sampling, number);
    const near = [-OFF, 0, OFF].flatMap((byNumber) =>
      (sampling.topP < 1 ? [-OFF, 0, OFF] : [0]).map((byLimit) =>
        draw(
          logits,
          { ...sampling, topP: sampling.topP + byLimit },
          Math.min(1 - 2 ** -24, Math.max(0, number + byNumber)),
        ),
      ),
    );
    const same = near.every(
      ({ id, logprob }) => id === expected.id && Math.abs(logprob - expected.logprob) < OFF,
    );
    return { expected, same };
  }

  /** Draws by device and by host: of those that are settled the ids that differ, and the largest difference of a number. */
  async function compare(
    calls: number,
    vocabulary: number,
    samplingOf: (row: number) => Sampling,
  ): Promise<{ draws: number; settled: number; different: number; numbers: number }> {
    const { gpu } = ops;
    const stride = Math.ceil(vocabulary / 32) * 32;
    const random = new Random(12);
    const logits = new Float32Array(ROWS * stride);
    random.fillNormal(logits, 3);
    // Of every other row many logits are equal, some of them 0 and -0.
    for (let i = 0; i < logits.length; i++)
      if (Math.floor(i / stride) % 2 === 1) logits[i] = Math.round((logits[i] ?? 0) * 2) / 2;
    // Row r of x is unit vector r, so that column r of the head is logits r. Of width 64 its rms is 1/8.
    const head = ops.matrix({ out: vocabulary, in: ROWS, type: 'f32' }, 'head');
    const columns = new Float32Array(vocabulary * ROWS);
    for (let id = 0; id < vocabulary; id++)
      for (let row = 0; row < ROWS; row++)
        columns[id * ROWS + row] = logits[row * stride + id] ?? 0;
    head.write(0, columns);
    const matrix = head.finish();
    const norm = { weight: ops.vector(new Float32Array(ROWS).fill(1 / 8), 'norm'), eps: 0 };
    const x = ops.activations(ROWS, ROWS, 'x');
    const units = new Float32Array(ROWS * ROWS);
    for (let row = 0; row < ROWS; row++) units[row * ROWS + row] = 1;
    gpu.encoder.write(own(GpuActivations, x).buffer, 0, units);
    const handle = ops.draws(ROWS);
    const outcome = { draws: 0, settled: 0, different: 0, numbers: 0 };
    for (let call = 0; call < calls; call++) {
      const wanted = Array.from({ length: ROWS }, (_, row): Draw => {
        const seed = random.below(2 ** 32);
        return { row, seed, counter: call * 2 ** 31 + row, sampling: samplingOf(row + call) };
      });
      ops.placeDraws(handle, wanted);
      ops.sample({ x, norm, head: matrix, draws: handle });
      const drawn = await ops.readDraws(handle);
      for (const [i, { row, seed, counter, sampling }] of wanted.entries()) {
        const theirs = logits.subarray(row * stride, row * stride + vocabulary);
        const { expected, same } = settled(theirs, sampling, drawNumber(seed, counter));
        const got = drawn[i];
        if (!got) throw new Error('a draw is missing');
        outcome.draws++;
        expect(got.finite).toBe(true);
        if (!same) continue;
        outcome.settled++;
        if (got.id !== expected.id) outcome.different++;
        for (const key of ['logprob', 'modelLogprob', 'entropy', 'modelEntropy'] as const)
          if (got.id === expected.id)
            outcome.numbers = Math.max(outcome.numbers, Math.abs(got[key] - expected[key]));
      }
    }
    ops.free(handle, matrix, norm.weight, x);
    return outcome;
  }

  // The host draws each nine times over to tell what is settled, which takes longer than the device.
  const [byTemperature, cut] = ALL_TESTS ? [63, 16] : [16, 5];

  it(`are the host’s, all of ${byTemperature * ROWS} that float32 can tell, by temperature alone`, async () => {
    const temperatures = [1, 0.7, 0, 1.6];
    const { draws, settled, different, numbers } = await compare(byTemperature, 600, (row) => ({
      temperature: temperatures[row % 4] ?? 1,
      topK: 0,
      topP: 1,
    }));
    expect({ draws, different }).toEqual({ draws: byTemperature * ROWS, different: 0 });
    expect(settled).toBeGreaterThan(0.98 * draws);
    expect(numbers).toBeLessThan(2e-5);
  });

  it(`are the host’s, all of ${cut * ROWS} that float32 can tell, with top-k and top-p and equal logits`, async () => {
    const { draws, settled, different, numbers } = await compare(
      cut,
      2500,
      (row) => SAMPLINGS[row % SAMPLINGS.length] ?? PLAIN,
    );
    expect({ draws, different }).toEqual({ draws: cut * ROWS, different: 0 });
    expect(settled).toBeGreaterThan(0.98 * draws);
    expect(numbers).toBeLessThan(2e-5);
  });

  it.each([NaN, Infinity, -Infinity])('say where a logit is %s', async (value) => {
    const b = new Builder(ops, 3);
    const values = b.values(33 * 8);
    const head = b.matrix({ out: 33, in: 8, type: 'f32' }, values);
    const handle = ops.draws(2);
    const sampling = { temperature: 1, topK: 5, topP: 0.9 };
    ops.placeDraws(
      handle,
      [0, 1].map((row) => ({
        row,
        seed: 1,
        counter: 1,
        sampling,
      })),
    );
    const x = ops.activations(2, 8, 'x');
    const broken = new Float32Array(64).fill(1);
    broken[32] = value;
    ops.gpu.encoder.write(own(GpuActivations, x).buffer, 0, broken);
    ops.sample({ x, norm: b.norm(8, 1e-6), head, draws: handle });
    expect((await ops.readDraws(handle)).map(({ finite }) => finite)).toEqual([true, false]);
  });
});
