import { dirname, resolve } from 'node:path';
import { UsageError } from '../shared/options.ts';
import type { Command } from '../shared/command.ts';
import { THREAD_OPTIONS } from '../shared/shared-options.ts';
import { openStudy, runStudy } from '../study/run.ts';

export const studyCommand: Command = {
  name: 'study',
  summary:
    'trains and evaluates the arms of a study file and writes one table; can be interrupted and resumed',
  positional: { name: 'FILE.json', required: true },
  options: {
    out: {
      type: 'string',
      value: 'DIR',
      help: 'folder of results, shared by studies of one model; finished parts are reused',
    },
    check: {
      type: 'boolean',
      help: 'only check the file and print what would be run; with --out, what is left to run',
    },
    'time-again': {
      type: 'boolean',
      help: 'when everything is finished, time the timed questions of every score once more, on a machine that does nothing else',
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
