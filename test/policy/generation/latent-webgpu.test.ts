import { describe, vi } from 'vitest';
import { openOps } from '../ops/support/swiftshader.ts';
import { latentGeneration } from './latent-cases.ts';

// It compiles slowly.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

describe('thinking in mixtures on WebGPU, by a software driver', () => latentGeneration(openOps));
