import { appendFileSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { adopt, type Adopted, type Base } from '../../handover/adopt/adopt.ts';
import { AdoptError } from '../../handover/adopt/input/folder.ts';
import type { AdoptedExperiment } from '../../handover/adopt/input/experiment.ts';
import { adoptFiles } from '../helpers/adopt-files.ts';
import { folderRevision, type CheckpointFolder } from '../shared/checkpoint-folder.ts';
import { print, say, type Command } from '../shared/command.ts';
import { makeFolder } from '../shared/empty-folder.ts';
import { UsageError, type OptionValues } from '../shared/options.ts';
import { openFolder } from '../shared/parts.ts';
import { appendStep, createRun, saveSnapshot, type RunFile } from '../train/folder.ts';

/** Where the policy is looked for: where it is said to be, where it was exported from, the built-in one. */
function policyFolder(values: OptionValues, { policy }: AdoptedExperiment): string | undefined {
  if (values.policy !== undefined) return String(values.policy);
  const from = policy.folder;
  return from && existsSync(join(from, 'config.json')) ? from : undefined;
}

interface OpenBase {
  checkpoint: CheckpointFolder;
  revision: string;
  base: Base;
}

async function openBase(values: OptionValues, experiment: AdoptedExperiment): Promise<OpenBase> {
  const checkpoint = await openFolder(policyFolder(values, experiment));
  const revision = await folderRevision(checkpoint);
  const { id, revision: wanted } = experiment.policy;
  // Packed weights are named after those that they were made of.
  const same = wanted.startsWith(revision);
  const base: Base = same
    ? { config: checkpoint.config }
    : {
        missing: `it was trained on ${id} (${wanted}), and ${checkpoint.path} holds other weights (${revision}). Name the folder of that policy: --policy DIR.`,
      };
  return { checkpoint, revision, base };
}

/** What stood in the place of a world; the run's record here names the world alone. */
function otherSources({ corpus, engine }: AdoptedExperiment): string[] {
  const own = [corpus ? 'passages of its own' : '', engine ? 'a search engine' : ''].filter(
    Boolean,
  );
  return own.length === 0
    ? []
    : [
        `It searched ${own.join(' and ')} there; lab train --resume goes on with the world’s. A new run searches them again: lab train --corpus FILE, or --engine KIND=URL.`,
      ];
}

async function writeRollouts(out: string, adopted: Adopted): Promise<number> {
  let count = 0;
  for (const { step } of adopted.steps) {
    const found = await adopted.rollouts(step);
    count += found.length;
    const lines = found.map((rollout) => `${JSON.stringify(rollout)}\n`).join('');
    if (lines !== '') appendFileSync(join(out, 'rollouts.jsonl'), lines);
  }
  return count;
}

function runFile(
  { experiment, settings }: Adopted,
  { checkpoint, revision, base }: OpenBase,
): RunFile {
  const { policy, world, runId } = experiment;
  return {
    format: 'forage.cli-run/1',
    runId,
    settings,
    device: 'wasm',
    policy: {
      folder: checkpoint.path,
      id: policy.id,
      revision: 'config' in base ? revision : policy.revision,
    },
    world: {
      folder: world.folder !== null && existsSync(world.folder) ? world.folder : null,
      seed: world.seed,
      ...(world.form && { form: world.form }),
    },
  };
}

export const adoptCommand: Command = {
  name: 'adopt',
  summary: 'makes a run of a folder that came back from TRL or verl',
  positional: { name: 'FOLDER', required: true },
  options: {
    policy: {
      type: 'string',
      value: 'DIR',
      help: 'checkpoint folder that was trained; the one that was exported, else the built-in one',
    },
    out: { type: 'string', value: 'DIR', help: 'empty folder of the new run', required: true },
    json: { type: 'boolean', help: 'print one JSON object' },
  },
  async run(values, [given = '']) {
    const opened: { base?: OpenBase } = {};
    const adopted = await adopt(await adoptFiles(given), {
      base: async (experiment) => (opened.base = await openBase(values, experiment)).base,
      now: new Date().toISOString(),
    }).catch((error: unknown) => {
      throw error instanceof AdoptError ? new UsageError(`${given}: ${error.message}`) : error;
    });
    const { base } = opened;
    if (!base) throw new UsageError(`${given} names no policy.`);
    const out = resolve(String(values.out));
    makeFolder(out);
    const file = runFile(adopted, base);
    createRun(out, file);
    for (const step of adopted.steps) appendStep(out, step);
    const count = await writeRollouts(out, adopted);
    if (adopted.state) saveSnapshot(out, adopted.state, file, base.checkpoint.config);
    const notes = [...otherSources(adopted.experiment), ...adopted.notes];
    for (const note of notes) say(note);
    const { state, steps, trainer } = adopted;
    if (values.json)
      print(
        JSON.stringify({
          out,
          trainer,
          steps: steps.length,
          rollouts: count,
          snapshot: state?.step ?? null,
          notes,
        }),
      );
    else
      say(
        `${out}: ${steps.length} steps, ${count} rollouts, ${state ? `the adapter of step ${state.step}` : 'no adapter'}`,
      );
  },
};
