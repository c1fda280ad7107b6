import type { DialectId } from '../../recipes/parts/dialect.ts';
import type { Output } from './output.ts';

/** How the reward function of a published system reads an output, in the tags of its own format. */
export interface Release {
  /** Dialects whose outputs it reads. */
  dialects: readonly DialectId[];
  /** The answer that it takes out of an output; null: none. */
  answer: (output: Output) => string | null;
  /** What breaks its format, one sentence each; empty: the output is well formed. */
  faults: (output: Output, golds: readonly string[]) => string[];
}

/** Sentences whose condition holds. */
export const faultsAmong = (found: Readonly<Record<string, boolean>>): string[] =>
  Object.keys(found).filter((fault) => found[fault]);
