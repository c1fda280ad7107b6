import { runLab } from './lab.ts';

// `lab … | head` closes the pipe: the rest of the output has no reader, which is not a fault.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });

const status = await runLab(process.argv.slice(2));
if (status !== 0) process.exitCode = status;
