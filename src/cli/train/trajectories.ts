import { existsSync, readFileSync } from 'node:fs';
import { messageOf } from '../../base/errors.ts';
import { trajectoryRecords } from '../../formats/trajectories/write.ts';
import { faultOf } from '../../formats/rollouts/own-schema.ts';
import type { Rollout } from '../../records/rollout.ts';
import { readDemonstrations } from '../../learn/rl/demonstrations.ts';
import {
  MAKE_DEFAULTS,
  makeTrajectories,
  PAIRS,
  WEIGHTS,
  type MakeOptions,
} from '../../learn/trajectories/make.ts';
import { openOutput, writeAll } from '../evaluate/output.ts';
import { print, say, type Command } from '../shared/command.ts';
import { UsageError, type OptionValues } from '../shared/options.ts';
import { asUsage } from '../shared/train-settings.ts';

/** Rollouts of a file, whole records. @throws UsageError that names file and line */
export function rolloutsOf(path: string): Rollout[] {
  if (!existsSync(path)) throw new UsageError(`${path} is missing.`);
  try {
    const rollouts = readDemonstrations(readFileSync(path, 'utf8'), Infinity);
    for (const [at, rollout] of rollouts.entries()) {
      const fault = faultOf(rollout);
      if (fault !== null) throw new Error(`rollout ${at + 1}: ${fault}`);
    }
    return rollouts;
  } catch (error) {
    throw new UsageError(`${path}: ${messageOf(error)}.`);
  }
}

/** Select2Reason's weight of difficulty, which its code leaves to who calls it. */
const DIFFICULTY = 0.25;

const numberOf = (values: OptionValues, name: string, unless: number): number =>
  values[name] === undefined ? unless : Number(values[name]);

/** @throws UsageError where pairs are meant that no rule makes */
function optionsOf(values: OptionValues): MakeOptions {
  const paired = values['pairs'] !== undefined && values['pairs'] !== 'none';
  if (!paired && values['shuffle-pairs'] !== undefined)
    throw new UsageError('--shuffle-pairs needs pairs to turn around: say which by --pairs.');
  if (!paired && values['weight'] === 'none')
    throw new UsageError('--weight none leaves only pairs: choose them with --pairs.');
  const { high, low, gamma, alpha } = MAKE_DEFAULTS;
  const share = values['top'];
  const seed = values['drawn'];
  if (seed !== undefined && (share === undefined || paired))
    throw new UsageError('--drawn takes as many as --top would; give that, and no --pairs.');
  if (seed === undefined && values['equal'] !== undefined)
    throw new UsageError('--equal says how many --drawn takes; give that.');
  return {
    weight: (values['weight'] as MakeOptions['weight'] | undefined) ?? MAKE_DEFAULTS.weight,
    pairs: (values['pairs'] as MakeOptions['pairs'] | undefined) ?? MAKE_DEFAULTS.pairs,
    high: numberOf(values, 'high', high),
    low: numberOf(values, 'low', low),
    gamma: numberOf(values, 'gamma', gamma),
    alpha: numberOf(values, 'alpha', alpha),
    shuffle: values['shuffle-pairs'] === undefined ? null : Number(values['shuffle-pairs']),
    failed: values['failed'] === undefined ? null : rolloutsOf(String(values['failed'])),
    top:
      share === undefined
        ? null
        : { share: Number(share), weight: numberOf(values, 'difficulty', DIFFICULTY) },
    drawn:
      seed === undefined
        ? null
        : { seed: Number(seed), equal: values['equal'] === 'tokens' ? 'tokens' : 'trajectories' },
    noRepeats: values['no-repeats'] === true,
    finished: values['finished'] === true,
    grounded: values['grounded'] === true,
    words: values['words'] === true,
  };
}

export const trajectoriesCommand: Command = {
  name: 'trajectories',
  summary: 'makes a set of weighted trajectories and pairs from rollouts, for supervised training',
  positional: { name: 'FILE', required: true, many: true },
  options: {
    out: { type: 'string', value: 'FILE', help: 'output file; default: standard output' },
    weight: {
      type: 'string',
      help: `what a rollout counts in supervised fine-tuning; none: only pairs; default: ${MAKE_DEFAULTS.weight}`,
      choices: WEIGHTS,
    },
    pairs: {
      type: 'string',
      help: 'which pairs, for DPO: by reward; efficient, WebThinker’s order; actions, RAG-Gym’s ranks of one step; truncated, DTO’s cut at the first right answer',
      choices: PAIRS,
    },
    high: { type: 'number', value: 'R', help: 'pairs by reward: least of the chosen; 0.75' },
    low: { type: 'number', value: 'R', help: 'pairs by reward: most of the other; 0.5' },
    gamma: {
      type: 'number',
      value: 'G',
      help: 'efficient pairs: least ratio of lengths; 1.5',
      min: 1,
    },
    alpha: {
      type: 'number',
      value: 'A',
      help: 'truncated pairs: least share of right answers; 0.9',
      min: 0,
      max: 1,
    },
    'shuffle-pairs': {
      type: 'integer',
      value: 'SEED',
      help: 'a control: which of a pair is preferred is drawn',
      min: 0,
    },
    failed: {
      type: 'string',
      value: 'FILE',
      help: 'take only questions that no rollout of this file answers right',
    },
    top: {
      type: 'number',
      value: 'SHARE',
      help: 'take this share of questions, hard and long first',
      min: 0,
      max: 1,
    },
    difficulty: {
      type: 'number',
      value: 'W',
      help: `weight of difficulty against length in --top; ${DIFFICULTY}`,
      min: 0,
      max: 1,
    },
    drawn: {
      type: 'integer',
      value: 'SEED',
      help: 'a control: by chance, as many as --top would take',
      min: 0,
    },
    equal: {
      type: 'string',
      help: 'what --drawn counts; default: trajectories',
      choices: ['trajectories', 'tokens'],
    },
    'no-repeats': { type: 'boolean', help: 'leave out rollouts that ask a query twice' },
    finished: {
      type: 'boolean',
      help: 'leave out rollouts that a limit ended, or that broke a rule of the protocol',
    },
    grounded: {
      type: 'boolean',
      help: 'leave out rollouts that were shown no supporting passage, whose answer was recalled or guessed',
    },
    words: {
      type: 'boolean',
      help: 'learn words too that a loop put into the policy’s mouth, such as hints that open a thought',
    },
  },
  async run(values, files) {
    const options = optionsOf(values);
    const set = asUsage(() => makeTrajectories(files.flatMap(rolloutsOf), options));
    const records = trajectoryRecords(set);
    const output = openOutput(values['out'] as string | undefined);
    if (output) writeAll(output, records);
    else for (const record of records) print(JSON.stringify(record));
    const weighing = set.trajectories.filter(({ weight }) => weight > 0).length;
    say(
      `${set.trajectories.length} trajectories, ${weighing} of them with a weight, and ${set.pairs.length} pairs`,
    );
  },
};
