import { spawnSync } from 'node:child_process';
import { vi } from 'vitest';
import { runLab } from '../../src/cli/lab.ts';

/** The command line, as a process of its own and inside the test's. */

export interface LabRun {
  status: number | null;
  out: string;
  err: string;
}

/** What Node is given to run the command line. */
export const LAB = ['--import', 'tsx', 'src/cli/main.ts'];

/** As a user does; a second of it is Node that starts. */
export function lab(...args: string[]): LabRun {
  const run = spawnSync(process.execPath, [...LAB, ...args], { encoding: 'utf8' });
  return { status: run.status, out: run.stdout, err: run.stderr };
}

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
  try {
    return { status: await runLab(args), ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
