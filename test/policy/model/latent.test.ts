import { describe } from 'vitest';
import { oracleOps } from '../ops/oracle/oracle.ts';
import { createWasmOps } from '../../../src/policy/wasm/ops.ts';
import { latentCases } from './latent-cases.ts';

describe('latent tokens in double precision', () => latentCases(async () => oracleOps()));
describe('latent tokens on WASM', () => latentCases(createWasmOps));
