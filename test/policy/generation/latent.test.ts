import { describe } from 'vitest';
import { oracleOps } from '../ops/oracle/oracle.ts';
import { createWasmOps } from '../../../src/policy/wasm/ops.ts';
import { latentGeneration } from './latent-cases.ts';

describe('thinking in mixtures, in double precision', () =>
  latentGeneration(async () => oracleOps()));
describe('thinking in mixtures on WASM', () => latentGeneration(createWasmOps));
