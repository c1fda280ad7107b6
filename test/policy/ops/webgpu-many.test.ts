import { afterAll, beforeAll, expect, it } from 'vitest';
import { oracleOps } from '../../../src/policy/ops/oracle/oracle.ts';
import type { WebGpuOps } from '../../../src/policy/webgpu/ops.ts';
import { opCases } from './cases.ts';
import { differences } from './compare.ts';
import { openOps } from './swiftshader.ts';

let ops: WebGpuOps;
beforeAll(async () => {
  ops = await openOps();
});
afterAll(() => ops.dispose());
const only = process.env.ONLY ?? '';
for (const one of opCases(Number(process.env.SEED ?? 1))) {
  if (!one.name.startsWith(only) || one.name.startsWith("draws")) continue;
  it(one.name, async () => {
    const d = await differences(one, oracleOps(), ops);
    await ops.settled();
    console.log(one.name, JSON.stringify(d));
    expect(Math.max(...Object.values(d))).toBeLessThan(1e-4 * one.scale);
  });
}
