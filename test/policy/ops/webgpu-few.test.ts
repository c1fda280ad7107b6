import { afterAll, beforeAll, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.ts';
import type { WebGpuOps } from '../../../src/policy/webgpu/ops.ts';
import { GpuAdapter } from '../../../src/policy/webgpu/device/values.ts';
import { openOps } from './swiftshader.ts';

let ops: WebGpuOps;
beforeAll(async () => {
  ops = await openOps();
});
afterAll(() => ops.dispose());

it('gives an adapter’s gradients in the order of its values', async () => {
  const turned = { rows: 24, headDim: 12 };
  const adapter = ops.adapter(
    [
      {
        in: 37,
        rank: 3,
        scale: 2,
        parts: [
          { row: 0, out: 24 },
          { row: 40, out: 7 },
        ],
        turned,
      },
      { in: 5, rank: 8, scale: 2, parts: [{ row: 0, out: 3 }] },
    ],
    true,
  );
  const values = new Float32Array(adapter.length);
  new Random(1).fillNormal(values, 1);
  ops.writeAdapter(adapter, values);
  if (!(adapter instanceof GpuAdapter) || !adapter.gradients) throw new Error('no gradients');
  ops.gpu.encoder.copy(adapter.values, 0, adapter.gradients, 0, adapter.values.size);
  expect(await ops.readGradients(adapter)).toEqual(values);
  ops.zeroGradients(adapter);
  expect(await ops.readGradients(adapter)).toEqual(values.map(() => 0));
  ops.free(adapter);
  await ops.settled();
});
