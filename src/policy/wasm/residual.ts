import { own } from '../ops/own.ts';
import type { Norm, Ops, ResidualInput } from '../ops/ops.ts';
import { WasmActivations, WasmTokens } from './handles.ts';
import type { WasmMemory } from './memory.ts';
import {
  ADD,
  normTokens,
  normTokensBackward,
  project,
  projectBackward,
  scratchRows,
  ZERO,
  type Rows,
} from './projection.ts';

type Options<K extends keyof Ops> = Ops[K] extends (o: infer O) => unknown ? O : never;

/** What the output norm norms. */
function projected(memory: WasmMemory, { input, by, tokens }: ResidualInput): Rows {
  const { count } = tokens;
  const y = scratchRows(memory, 'output', count, by.matrix.out);
  project(memory, by, own(WasmActivations, input), y, count, ZERO);
  return y;
}

export function projectResidual(memory: WasmMemory, o: Options<'projectResidual'>): void {
  const [x, tokens] = [own(WasmActivations, o.x), own(WasmTokens, o.tokens)];
  if (!o.outputNorm) {
    project(memory, o.by, own(WasmActivations, o.input), x, tokens.count, ADD);
    return;
  }
  const y = normTokens(memory, projected(memory, o), x.width, o.outputNorm, tokens);
  memory.kernels.add_rows(x.at, x.stride, y.at, y.stride, tokens.count, x.width);
}

export function projectResidualBackward(
  memory: WasmMemory,
  o: Options<'projectResidualBackward'>,
): void {
  const [input, dx] = [own(WasmActivations, o.input), own(WasmActivations, o.dx)];
  const dy = o.outputNorm ? unnormed(memory, o, o.outputNorm, dx) : dx;
  projectBackward(memory, o.by, input, dy, own(WasmActivations, o.dInput), o.tokens.count);
}

/** The gradient of what the output norm normed. */
function unnormed(memory: WasmMemory, o: ResidualInput, norm: Norm, dx: WasmActivations): Rows {
  const tokens = own(WasmTokens, o.tokens);
  const dy = scratchRows(memory, 'dNormed', tokens.count, dx.width);
  memory.floats(dy.at, tokens.count * dy.stride).fill(0);
  normTokensBackward(memory, projected(memory, o), dx.width, norm, tokens, dx, dy);
  return dy;
}
