import { expect, it } from 'vitest';
import { hasRelaxedSimd } from '../../../src/policy/wasm/kernels.ts';
import { PLAIN, RELAXED } from '../../../src/policy/wasm/kernels.wasm.ts';

const compiles = (module: string): boolean =>
  WebAssembly.validate(Uint8Array.from(Buffer.from(module, 'base64')));

it('fused kernels are chosen exactly where this engine compiles them', () => {
  expect(compiles(PLAIN)).toBe(true);
  expect(hasRelaxedSimd()).toBe(compiles(RELAXED));
});
