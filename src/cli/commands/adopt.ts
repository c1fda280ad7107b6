import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { adopt, type Adopted } from '../../handover/adopt/adopt.ts';
import { AdoptError } from '../../handover/adopt/input/folder.ts';
import type { AdoptedExperiment } from '../../handover/adopt/input/experiment.ts';
import { adoptFiles } from '../helpers/adopt-files.ts';
import { findPolicy, type AdoptPolicy } from '../helpers/adopt-policy.ts';
import { appendLines } from '../shared/append.ts';
import { print, say, type Command } from '../shared/command.ts';
import { fillFolder } from '../shared/empty-folder.ts';
import { UsageError } from '../shared/options.ts';
import { appendStep, createRun, noSnapshot, saveSnapshot, type RunFile } from '../train/folder.ts';

/** The sources that the run searched elsewhere; its record here names only the world. */
function otherSources({ corpus, engine }: AdoptedExperiment): string[] {
  const own = [corpus ? 'passages of its own' : '', engine ? 'a search engine' : ''].filter(
    Boolean,
  );
  return own.length === 0
    ? []
    : [
        `The run searched ${own.join(' and ')}; lab train --resume continues with the world’s passages. To search them again, start a new run: lab train --corpus FILE, or --engine KIND=URL.`,
      ];
}

async function writeRollouts(out: string, adopted: Adopted): Promise<number> {
  let count = 0;
  for (const { step } of adopted.steps) {
    const found = await adopted.rollouts(step);
    count += found.length;
    const lines = found.map((rollout) => JSON.stringify(rollout));
    if (lines.length > 0) appendLines(join(out, 'rollouts.jsonl'), lines);
  }
  return count;
}

function runFile({ experiment, settings }: Adopted, { found, folder }: AdoptPolicy): RunFile {
  const { policy, world, runId } = experiment;
  return {
    format: 'forage.cli-run/4',
    runId,
    settings,
    device: 'wasm',
    policy: {
      folder,
      id: policy.id,
      revision: found ? found.revision : policy.revision,
    },
    world: {
      folder: world.folder !== null && existsSync(world.folder) ? world.folder : null,
      seed: world.seed,
    },
  };
}

export const adoptCommand: Command = {
  name: 'adopt',
  summary: 'imports the result folder of a TRL or verl run as a run',
  positional: { name: 'FOLDER', required: true },
  options: {
    policy: {
      type: 'string',
      value: 'DIR',
      help: 'checkpoint folder that was trained (default: the exported one or one that ships with Forage, whichever has those weights)',
    },
    out: { type: 'string', value: 'DIR', help: 'empty folder for the new run', required: true },
    json: { type: 'boolean', help: 'print one JSON object' },
  },
  async run(values, [given = '']) {
    const opened: { policy?: AdoptPolicy } = {};
    const named = values.policy as string | undefined;
    const adopted = await adopt(await adoptFiles(given), {
      base: async (experiment) => (opened.policy = await findPolicy(named, experiment)).base,
      now: new Date().toISOString(),
    }).catch((error: unknown) => {
      throw error instanceof AdoptError ? new UsageError(`${given}: ${error.message}`) : error;
    });
    const { policy } = opened;
    if (!policy) throw new UsageError(`${given} names no model.`);
    const out = resolve(String(values.out));
    const file = runFile(adopted, policy);
    const { state, steps, trainer } = adopted;
    const { found } = policy;
    const count = await fillFolder(out, async () => {
      createRun(out, file);
      for (const step of adopted.steps) appendStep(out, step);
      const rollouts = await writeRollouts(out, adopted);
      if (state && found) saveSnapshot(out, state, file, found.checkpoint.config);
      return rollouts;
    });
    const notes = [
      ...otherSources(adopted.experiment),
      ...adopted.notes,
      ...(state ? [] : [noSnapshot(out)]),
    ];
    if (found && named === undefined)
      say(`Its model is in ${found.checkpoint.path} (${found.revision}).`);
    for (const note of notes) say(note);
    if (values.json)
      print(
        JSON.stringify({
          out,
          trainer,
          steps: steps.length,
          rollouts: count,
          snapshot: state?.step ?? null,
          policy: found && found.checkpoint.path,
          notes,
        }),
      );
    else
      say(
        `${out}: ${steps.length} steps, ${count} rollouts, ${state ? `the adapter of step ${state.step}` : 'no adapter'}`,
      );
  },
};
