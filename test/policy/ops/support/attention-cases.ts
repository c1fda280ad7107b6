import { itemAt } from '../../../../src/base/items.ts';
import type { HeadsInput } from '../../../../src/policy/ops/ops.ts';
import type { Activations, Adapter, Tokens } from '../../../../src/policy/ops/values.ts';
import {
  anyIds,
  layOut,
  raggedLengths,
  type Builder,
  type CaseBody,
  type Sizes,
} from './builder.ts';

/** @param room positions of the rotary tables, and places of the store */
export function headsInput(
  b: Builder,
  s: Sizes,
  room: { positions: number; places: number },
  lora: { lora: boolean; skip?: number },
): { input: Omit<HeadsInput, 'x' | 'tokens'>; adapter: Adapter | null } {
  const [queries, keys] = [s.H * s.D, s.G * s.D];
  const { by, adapter } = b.projection(s, [queries, keys, keys], s.d, {
    ...lora,
    turned: { rows: queries + keys, headDim: s.D },
  });
  const [q, k] = [b.norm(s.D, s.eps).weight, b.norm(s.D, s.eps).weight];
  const input = {
    norm: b.norm(s.d, s.eps),
    by,
    headNorms: s.headNorms ? { q, k, eps: s.eps } : null,
    rotary: s.rotary ? b.rotary(room.positions, s.D) : null,
    heads: s.H,
    store: b.store(s, room.places),
  };
  return { input, adapter };
}

/** Contexts that are read in two pieces and continue by a token each; then copies of them continue. */
export const attention: CaseBody = async (b, s) => {
  const { ops, random } = b;
  const lengths = raggedLengths(random, 70);
  const rooms = lengths.map((n) => n + 2);
  const { starts, positions: places } = layOut([...rooms, ...rooms]);
  const positions = Math.max(...rooms);
  const { input } = headsInput(b, s, { positions, places }, { lora: random.chance(0.5), skip: 1 });
  const results: Record<string, Float32Array> = {};
  let store = input.store;
  const run = async (name: string, tokens: Tokens): Promise<void> => {
    const x: Activations = b.filled(tokens.rows, s.d);
    const q = ops.activations(tokens.rows, s.H * s.D, 'q');
    const out = ops.activations(tokens.rows, s.H * s.D, 'out');
    ops.projectHeads({ ...input, store, x, tokens, q });
    ops.attend({ q, heads: s.H, store, tokens, window: s.window, out });
    results[name] = await ops.readActivations(out, tokens.count);
  };
  const read = (name: string, from: readonly number[], to: readonly number[]): Promise<void> => {
    const runs = to.map((end, i) => ({
      ids: anyIds(end - itemAt(from, i)),
      position: itemAt(from, i),
      start: itemAt(starts, i),
    }));
    return run(name, b.tokens(runs, 'many'));
  };
  const step = (name: string, at: readonly number[], added: number): Promise<void> => {
    const runs = lengths.map((n, i) => ({
      ids: [0],
      position: n + added,
      start: itemAt(at, i),
    }));
    return run(name, b.tokens(runs, 'few'));
  };
  const cuts = lengths.map((n) => random.between(0, n));
  const none = lengths.map(() => 0);
  await read('first piece', none, cuts);
  await read('second piece', cuts, lengths);
  await step('a step', starts, 0);
  const copies = starts.slice(lengths.length);
  const moves = lengths.map((n, i) => ({
    from: itemAt(starts, i),
    to: itemAt(copies, i),
    count: n + 1,
  }));
  const target = b.store(s, places);
  ops.copyKeys([input.store], moves, [target]);
  ops.copyKeys([input.store], moves);
  await step('a step of copies', copies, 1);
  store = target;
  await step('a step of copies elsewhere', copies, 1);
  return results;
};

/** Whole contexts forward and backward. */
export const attentionBackward: CaseBody = async (b, s) => {
  const { ops, random } = b;
  const lengths = raggedLengths(random, 45);
  const { starts, positions: places } = layOut(lengths);
  const positions = Math.max(...lengths, 1);
  const { input, adapter } = headsInput(
    b,
    s,
    { positions, places },
    { lora: true, skip: random.between(0, 3) },
  );
  const runs = lengths.map((n, i) => ({ ids: anyIds(n), position: 0, start: itemAt(starts, i) }));
  const tokens = b.tokens(runs, 'many');
  const rows = tokens.rows;
  const [queries, keys] = [s.H * s.D, s.G * s.D];
  const make = (width: number): Activations => ops.activations(rows, width, 'made');
  const x = b.filled(rows, s.d);
  const [q, raw, out, lse] = [make(queries), make(queries + 2 * keys), make(queries), make(s.H)];
  ops.projectHeads({ ...input, x, tokens, q, raw });
  const attended = { q, heads: s.H, store: input.store, tokens, window: s.window, out, lse };
  ops.attend(attended);
  const [dOut, dx] = [b.filled(rows, queries), b.filled(rows, s.d)];
  const [dq, dKeys, dValues] = [make(queries), make(keys), make(keys)];
  const results: Record<string, Float32Array> = {};
  if (adapter) ops.zeroGradients(adapter);
  // Twice: gradients add up, and so does dx.
  for (const pass of ['once', 'twice']) {
    ops.attendBackward({ ...attended, dOut, dq, dKeys, dValues });
    ops.projectHeadsBackward({ ...input, x, tokens, raw, dq, dKeys, dValues, dx });
    results[`dx ${pass}`] = await ops.readActivations(dx, tokens.count);
    results[`dValues ${pass}`] = await ops.readActivations(dValues, tokens.count);
    if (adapter) results[`gradients ${pass}`] = await ops.readGradients(adapter);
  }
  if (adapter) {
    ops.zeroGradients(adapter);
    ops.attendBackward({ ...attended, dOut, dq, dKeys, dValues });
    ops.projectHeadsBackward({ ...input, x, tokens, raw, dq, dKeys, dValues, dx: null });
    results['gradients of the lowest layer'] = await ops.readGradients(adapter);
  }
  return results;
};
