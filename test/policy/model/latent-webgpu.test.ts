import { afterAll, beforeAll, describe, vi } from 'vitest';
import type { WebGpuOps } from '../../../src/policy/webgpu/ops.ts';
import { openOps } from '../ops/support/swiftshader.ts';
import { latentCases } from './latent-cases.ts';

// It compiles slowly.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

// One device for all: it compiles once what trainers have in common.
let ops: WebGpuOps;
beforeAll(async () => {
  ops = await openOps();
});
afterAll(() => ops.dispose());

describe('latent tokens on WebGPU, by a software driver', () => latentCases(async () => ops));
