import { PLAIN, RELAXED } from './kernels.wasm.ts';

type Numbers<N extends number, A extends number[] = []> = A['length'] extends N
  ? A
  : Numbers<N, [...A, number]>;
type Kernel<N extends number> = (...args: Numbers<N>) => void;

/** The exported functions of kernels/; pointers are byte offsets into the memory, 0 where there is none. */
export interface Kernels {
  multiply: Kernel<14>;
  multiply_back: Kernel<13>;
  multiply_transposed: Kernel<10>;
  place_floats: Kernel<6>;
  place_halves: Kernel<6>;
  place_codes: Kernel<8>;
  embed: Kernel<10>;
  norm_rows: Kernel<10>;
  norm_rows_backward: Kernel<13>;
  swiglu: Kernel<6>;
  swiglu_backward: Kernel<6>;
  geglu: Kernel<6>;
  geglu_backward: Kernel<6>;
  add_rows: Kernel<6>;
  scatter_rows: Kernel<7>;
  heads_forward: Kernel<20>;
  heads_backward: Kernel<22>;
  attend: Kernel<18>;
  attend_backward: Kernel<24>;
  scores: Kernel<8>;
  scores_backward: Kernel<6>;
  weigh: Kernel<5>;
  pick: (...args: Numbers<3>) => number;
  /** Of 1 + 2^-12: not 0 where the multiply-add is fused. */
  fused: (x: number) => number;
}

/** `(module (func (param v128 v128 v128) (result v128) … f32x4.relaxed_madd))`, to ask the engine. */
const RELAXED_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 8, 1, 96, 3, 123, 123, 123, 1, 123, 3, 2, 1, 0, 10, 13, 1, 11, 0,
  32, 0, 32, 1, 32, 2, 253, 133, 2, 11,
]);

/** Whether fused multiply-add is compiled by this engine; results differ from those without it. */
export function hasRelaxedSimd(): boolean {
  return WebAssembly.validate(RELAXED_PROBE);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const decoded = atob(text);
  const bytes = new Uint8Array(decoded.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = decoded.charCodeAt(i);
  return bytes;
}

const compiled = new Map<boolean, Promise<WebAssembly.Module>>();

/** The module of a build: compiled once a thread, however many engines it starts. */
function moduleOf(relaxed: boolean): Promise<WebAssembly.Module> {
  const known = compiled.get(relaxed);
  if (known) return known;
  const made = WebAssembly.compile(decodeBase64(relaxed ? RELAXED : PLAIN));
  compiled.set(relaxed, made);
  return made;
}

export async function startKernels(memory: WebAssembly.Memory, relaxed: boolean): Promise<Kernels> {
  const instance = await WebAssembly.instantiate(await moduleOf(relaxed), { env: { memory } });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the exports of our own module
  const kernels = instance.exports as unknown as Kernels;
  // A relaxed multiply-add may be rounded twice; the kernels of that build count on one rounding.
  return relaxed && kernels.fused(1 + 2 ** -12) === 0 ? startKernels(memory, false) : kernels;
}
