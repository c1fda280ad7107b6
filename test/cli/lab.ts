import { spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { vi } from 'vitest';
import { runLab } from '../../src/cli/lab.ts';
import { packedLab } from './packed.ts';

/** The command line, as a process of its own and inside the test's. */

export interface LabRun {
  status: number | null;
  out: string;
  err: string;
}

/** What Node is given to run the command line from its sources. */
const FROM_SOURCES = ['--import', 'tsx', 'src/cli/main.ts'];

const runNode = (words: readonly string[]): LabRun => {
  const run = spawnSync(process.execPath, words, { encoding: 'utf8' });
  return { status: run.status, out: run.stdout, err: run.stderr };
};

/** The packed command, as a user of the package runs it. */
export const lab = (...args: string[]): LabRun => runNode([...packedLab(), ...args]);

/** As in a clone; seconds of it are TypeScript that is read. */
export const labFromSources = (...args: string[]): LabRun => runNode([...FROM_SOURCES, ...args]);

/** A command that takes longer has most likely got stuck: where, only what it said so far can tell. */
const LONG_MS = 120_000;

/** The same words to the same function, without the start of a process. */
export async function labHere(...args: string[]): Promise<LabRun> {
  const written = { out: '', err: '' };
  const take = (name: 'out' | 'err') => (chunk: string | Uint8Array) => {
    written[name] += String(chunk);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(take('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(take('err')),
  ];
  const tell = setTimeout(() => {
    writeSync(2, `lab ${args.join(' ')} still runs; it said:\n${written.err}${written.out}\n`);
  }, LONG_MS);
  try {
    return { status: await runLab(args), ...written };
  } finally {
    clearTimeout(tell);
    for (const spy of spies) spy.mockRestore();
  }
}
