import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { packedLab } from './packed.ts';

test.each([[['recipes', '--json']], [['recipes']], [['--help']]])(
  'lab %j ends quietly when its reader closes the pipe',
  async (args) => {
    const child = spawn(process.execPath, [...packedLab(), ...args]);
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.stdout.destroy();
    const status = await new Promise((resolve) => child.once('close', resolve));
    expect([status, said]).toEqual([0, '']);
  },
  60_000,
);
