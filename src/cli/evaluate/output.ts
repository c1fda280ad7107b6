import { writeFileSync } from 'node:fs';
import { messageOf } from '../../base/errors.ts';
import { appendLines } from '../shared/append.ts';
import { UsageError } from '../shared/options.ts';

/** Files of results, one JSON object per line. */
export interface Output {
  path: string;
}

/** Empties the file, or makes it, before any work is done for it. @throws UsageError where it cannot be written */
export function openOutput(path: string | undefined): Output | null {
  if (path === undefined) return null;
  try {
    writeFileSync(path, '');
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
  return { path };
}

/** Appends objects, each whole or not at all: those before the first that does not fit stay. @throws the fault of the file system where they do not fit */
export function writeAll(output: Output | null, rollouts: readonly object[]): void {
  if (output) appendLines(output.path, linesOf(rollouts));
}

/** One by one: all lines together may be longer than a string can be. */
function* linesOf(rollouts: readonly object[]): Generator<string> {
  for (const rollout of rollouts) yield JSON.stringify(rollout);
}
