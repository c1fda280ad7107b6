import { writeFileSync } from 'node:fs';
import { appendLines } from '../shared/append.ts';
import { pathFault } from '../shared/path-fault.ts';

/** Files of results, one JSON object per line. */
export interface Output {
  path: string;
}

/** Empties the file, or makes it, before any work is done. @throws UsageError where it cannot be written */
export function openOutput(path: string | undefined): Output | null {
  if (path === undefined) return null;
  try {
    writeFileSync(path, '');
  } catch (error) {
    throw pathFault(path, 'written', error);
  }
  return { path };
}

/** Appends objects. @throws the fault of the file system where one does not fit: those before it stay */
export function writeAll(output: Output | null, rollouts: readonly object[]): void {
  if (output) appendLines(output.path, linesOf(rollouts));
}

/** One by one: all lines together may be longer than the longest string. */
function* linesOf(rollouts: readonly object[]): Generator<string> {
  for (const rollout of rollouts) yield JSON.stringify(rollout);
}
