import { dirname, resolve } from 'node:path';
import { UsageError } from '../shared/options.ts';
import type { Command } from '../shared/command.ts';
import { THREAD_OPTIONS } from '../shared/shared-options.ts';
import { openStudy, runStudy } from '../study/run.ts';

export const studyCommand: Command = {
  name: 'study',
  summary:
    'trains and evaluates the arms of a study file, and writes one table; goes on after a kill',
  positional: { name: 'FILE.json', required: true },
  options: {
    out: {
      type: 'string',
      value: 'DIR',
      help: 'folder of results, which studies of one policy share; what is finished there is not made again',
    },
    check: {
      type: 'boolean',
      help: 'only check the file and print what would be made; with --out, what is left of it',
    },
    'time-again': {
      type: 'boolean',
      help: 'when all is made, ask the timed questions of every score once more, for latencies of one machine that does nothing else',
    },
    ...THREAD_OPTIONS,
  },
  async run(values, [file = '']) {
    const out = values.out === undefined ? null : String(values.out);
    const check = values.check === true;
    if (out === null && !check) throw new UsageError('study needs --out DIR, or --check.');
    await runStudy(
      { study: openStudy(file), base: dirname(resolve(file)) },
      {
        out,
        check,
        timeAgain: values['time-again'] === true,
        threads: Number(values.threads),
        microTokens: Number(values['micro-tokens']),
      },
    );
  },
};
