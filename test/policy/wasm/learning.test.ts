import { describe, expect, it } from 'vitest';
import { present } from '../../../src/base/items.ts';
import { Random } from '../../../src/base/random.ts';
import { OracleMatrix, OraclePicks, OracleVector } from '../ops/oracle/handles.ts';
import { trainableOracleOps } from '../ops/oracle/learning.ts';
import { own } from '../../../src/policy/ops/own.ts';
import { createTrainableWasmOps } from '../../../src/policy/wasm/ops.ts';
import { ALL_TESTS } from '../../slow/slow.ts';
import { randomSizes } from '../ops/support/builder.ts';
import { difference } from '../ops/support/compare.ts';
import { COEFFICIENTS, gradientsOf, learner } from '../ops/support/learner.ts';

const SIZES = Array.from({ length: ALL_TESTS ? 12 : 4 }, (_, i) =>
  randomSizes(new Random(300 + i), 'f32'),
);

describe.each(SIZES)('whole gradients: %o', (s) => {
  it('of the oracle are slopes of its loss', async () => {
    const one = learner(trainableOracleOps(), 7, s);
    await one.accumulate();
    const gradients = await gradientsOf(one);
    const random = new Random(8);
    for (const [name, handle] of Object.entries(one.learned)) {
      const { values } =
        handle.kind === 'matrix' ? own(OracleMatrix, handle) : own(OracleVector, handle);
      const before = values.slice();
      const direction = values.map(() => random.normal());
      const loss = (step: number): number => {
        values.forEach((_, i) => (values[i] = (before[i] ?? 0) + step * (direction[i] ?? 0)));
        void one.forward();
        const { logprobs } = own(OraclePicks, one.picks);
        return logprobs.reduce((sum, value, i) => sum - (COEFFICIENTS[i] ?? 0) * value, 0);
      };
      const slope = (loss(1e-5) - loss(-1e-5)) / 2e-5;
      values.set(before);
      const got = present(gradients[name], name);
      const expected = got.reduce((sum, g, i) => sum + g * (direction[i] ?? 0), 0);
      const size = Math.hypot(...got);
      expect(size, name).toBeGreaterThan(0);
      expect(Math.abs(slope - expected) / size, name).toBeLessThan(1e-5);
    }
  });

  it.each([true, false])('of the kernels are those of the oracle (relaxed %s)', async (relaxed) => {
    const oracle = learner(trainableOracleOps(), 7, s);
    const wasm = learner(await createTrainableWasmOps(relaxed && undefined), 7, s);
    for (const one of [oracle, wasm]) {
      // What is left of an earlier step goes; what follows adds up.
      await one.accumulate();
      one.gradients.zero();
      await one.accumulate();
      await one.accumulate();
    }
    const expected = await gradientsOf(oracle);
    for (const [name, got] of Object.entries(await gradientsOf(wasm)))
      expect(difference(got, expected[name] ?? []), name).toBeLessThan(1e-4);
    const [a, b] = [await oracle.forward(), await wasm.forward()];
    expect(difference(b.logprobs, a.logprobs)).toBeLessThan(1e-4);
    expect(b.hits).toEqual(a.hits);
  });
});
