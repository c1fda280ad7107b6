import { runLab } from './lab.ts';

const status = await runLab(process.argv.slice(2));
if (status !== 0) process.exitCode = status;
