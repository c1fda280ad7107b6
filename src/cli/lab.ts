import { adoptCommand } from './commands/adopt.ts';
import { askCommand } from './commands/ask.ts';
import { benchCommand } from './commands/bench.ts';
import type { Command } from './shared/command.ts';
import { demonstrationsCommand } from './commands/demonstrations.ts';
import { evaluateCommand } from './commands/evaluate.ts';
import { exportCommand } from './commands/export.ts';
import { recipesCommand } from './commands/recipes.ts';
import { forkCommand } from './commands/fork.ts';
import { rewardsCommand } from './commands/rewards.ts';
import { referenceCommand } from './commands/reference.ts';
import { rolloutsCommand } from './commands/rollouts.ts';
import { mergeCommand } from './commands/merge.ts';
import { rolloutCommand } from './commands/rollout.ts';
import { serveEnvironmentCommand } from './commands/serve-environment.ts';
import { serveRetrievalCommand } from './commands/serve-retrieval.ts';
import { rewardModelCommand } from './train/reward-model.ts';
import { trajectoriesCommand } from './train/trajectories.ts';
import { trainCommand } from './commands/train.ts';
import { worldCommand } from './commands/world.ts';
import { commandHelp, parseOptions, UsageError } from './shared/options.ts';
import { COMMAND_LINE } from './shared/paths.ts';
import { asSentence, messageOf } from '../base/errors.ts';
import { storageFault } from '../base/storage-faults.ts';
import { dirname, resolve } from 'node:path';
import { THREAD_OPTIONS } from './shared/shared-options.ts';
import { openStudy, runStudy } from './study/run.ts';

const studyCommand: Command = {
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

const COMMANDS: readonly Command[] = [
  askCommand,
  rolloutCommand,
  forkCommand,
  demonstrationsCommand,
  trainCommand,
  evaluateCommand,
  studyCommand,
  referenceCommand,
  mergeCommand,
  exportCommand,
  adoptCommand,
  rolloutsCommand,
  trajectoriesCommand,
  rewardModelCommand,
  rewardsCommand,
  recipesCommand,
  serveEnvironmentCommand,
  worldCommand,
  serveRetrievalCommand,
  benchCommand,
];

/** Parses its own options, because a resumed run must tell given options from defaults. */
const PRETRAIN = { name: 'pretrain', summary: 'pre-trains the built-in model from scratch' };

const HELP = [
  `${COMMAND_LINE} COMMAND [options]`,
  '',
  ...[...COMMANDS, PRETRAIN].map((c) => `  ${c.name.padEnd(19)}${c.summary}`),
  '',
  'COMMAND --help lists its options. Results go to standard output, progress to standard error.',
].join('\n');

/** @throws UsageError and whatever a command throws */
async function main(argv: readonly string[]): Promise<void> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === 'help') {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  if (name === PRETRAIN.name) {
    const { pretrain } = await import('./pretrain/policy.ts');
    return pretrain(rest);
  }
  const command = COMMANDS.find((c) => c.name === name);
  if (!command) {
    const known = [...COMMANDS, PRETRAIN].map((c) => c.name).join(', ');
    throw new UsageError(`Unknown command '${name}'. Commands: ${known}.`);
  }
  if (rest.includes('--help')) {
    process.stdout.write(`${commandHelp(command)}\n`);
    return;
  }
  const { values, positionals, lists } = parseOptions(command, rest);
  await command.run(values, positionals, lists);
}

/**
 * Runs the command that the arguments name. Mistakes and faults end with one line; FORAGE_DEBUG=1
 * shows where they come from.
 * @returns the status that the process ends with: 0, or 2 for a mistake or a fault
 */
export async function runLab(argv: readonly string[]): Promise<number> {
  try {
    await main(argv);
    return 0;
  } catch (error) {
    const message = storageFault(error) ? asSentence(messageOf(error)) : messageOf(error);
    const debug = process.env['FORAGE_DEBUG'] === '1' && error instanceof Error;
    process.stderr.write(`${debug ? (error.stack ?? message) : message.replaceAll('\n', ' ')}\n`);
    return 2;
  }
}
