import { createWasmOps } from '../../../src/policy/wasm/ops.ts';
import { sharedReading } from './shared-reading-cases.ts';

sharedReading(createWasmOps, 24);
