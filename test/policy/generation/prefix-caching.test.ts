import { createWasmOps } from '../../../src/policy/wasm/ops.ts';
import { sharedReading } from './prefix-caching-cases.ts';

sharedReading(createWasmOps, 24);
