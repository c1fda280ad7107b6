import { messageOf } from '../base/errors.ts';
import { runLab } from './lab.ts';

// `lab … | head` closes the pipe: the rest of the output has no reader, which is not a fault. A full disk, as with
// `lab … > file`, is one.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    const fault = Object.assign(error, { path: 'standard output' });
    if (stream === process.stdout) process.stderr.write(`${messageOf(fault)}.\n`);
    process.exit(2);
  });

const status = await runLab(process.argv.slice(2));
if (status !== 0) process.exitCode = status;
