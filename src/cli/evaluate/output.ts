import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { UsageError } from '../shared/options.ts';

/** Files of results. */

export async function openOutput(path: string | undefined): Promise<WriteStream | null> {
  if (path === undefined) return null;
  const stream = createWriteStream(path);
  try {
    await once(stream, 'open');
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${(error as Error).message}.`);
  }
  return stream;
}

export async function writeAll(
  output: WriteStream | null,
  rollouts: readonly object[],
): Promise<void> {
  if (!output) return;
  for (const rollout of rollouts) output.write(`${JSON.stringify(rollout)}\n`);
  output.end();
  await once(output, 'finish');
}
