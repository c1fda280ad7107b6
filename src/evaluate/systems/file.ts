import { formatFault } from './format.ts';
import type { EvaluationResult } from './result.ts';
import { parseSpec, type EvaluationSpec } from './spec.ts';

/** The one file of an evaluation: what repeats it, and what it found. */

interface EvaluationFile {
  format: 'forage.evaluation-file/1';
  name: string;
  spec: EvaluationSpec;
  /** What it found where it was made, for the reader; times are left out, since they repeat nowhere. */
  found: EvaluationResult | null;
}

/** As JSON; the same evaluation gives the same bytes. */
export function writeEvaluationFile(
  name: string,
  spec: EvaluationSpec,
  result: EvaluationResult | null,
): string {
  const found = result && {
    ...result,
    rollouts: result.rollouts.map((rollout) => ({ ...rollout, seconds: 0 })),
  };
  const file: EvaluationFile = { format: 'forage.evaluation-file/1', name, spec, found };
  return `${JSON.stringify(file)}\n`;
}

/** @throws Error of one line where the text is no evaluation */
export function readEvaluationFile(text: string): { name: string; spec: EvaluationSpec } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('This is not an evaluation: it is not JSON.');
  }
  const { format, name, spec } = (typeof value === 'object' && value !== null ? value : {}) as {
    format?: unknown;
    name?: unknown;
    spec?: unknown;
  };
  const strange = formatFault(format, 'evaluation', 'forage.evaluation-file/1');
  if (strange !== null) throw new Error(strange);
  return { name: typeof name === 'string' ? name : 'evaluation', spec: parseSpec(spec) };
}
