import type { Decoder } from '../model/decoder.ts';
import { forwardBuffers, type ForwardBuffers } from '../model/forward.ts';
import type { Activations, Tokens } from '../ops/values.ts';

/** What a kind of step computes in. */
export interface Step {
  readonly tokens: Tokens;
  readonly x: Activations;
  readonly buffers: ForwardBuffers;
}

export const makeStep = ({ ops, config }: Decoder, rows: number, label: string): Step => ({
  tokens: ops.tokens(rows),
  x: ops.activations(rows, config.hiddenSize, label),
  buffers: forwardBuffers(ops, config, rows),
});

export const freeStep = ({ ops }: Decoder, { tokens, x, buffers }: Step): void =>
  ops.free(tokens, x, ...Object.values<Activations>({ ...buffers }));
