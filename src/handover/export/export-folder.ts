import { sha256 } from '../../base/hash.ts';
import { ADAPTER_WEIGHTS } from '../../policy/lora/peft.ts';
import { asWord } from '../../recipes/index.ts';
import type { Experiment } from './experiment.ts';
import type { ExperimentFile, Trainer } from './experiment-file.ts';
import { copies, jsonFile, linesFile, textFile, type FolderFile, type ReadSource } from './folder.ts';
import { rowCount } from './mapping/common.ts';
import type { Mapping, MappingInput, Refusal, Without } from './mapping/mapping.ts';
import { questionLines, type QuestionLine } from './questions.ts';
import { pinnedVersions } from './requirements.ts';
import { TRL } from './trl/trl.ts';
import { settingsWithout } from './without.ts';

/** What every trainer's folder is made of beside the files that all have. */
export interface TrainerExport {
  /** Its arguments, as values of JSON. */
  map(input: MappingInput): Mapping<ExperimentFile['trainer']['arguments']>;
  /** Files that are copied as they are, below `src/handover/files`; one is `requirements.txt`. */
  readonly sources: readonly string[];
  /** Files that are made, `README.md` among them. */
  files(parts: TrainerParts): Promise<FolderFile[]> | FolderFile[];
}

export interface TrainerParts {
  readonly file: ExperimentFile;
  readonly questions: readonly QuestionLine[];
}

const EXPORTS: Readonly<Record<Trainer, TrainerExport>> = { trl: TRL };

/** Settings that the trainer cannot follow; the message names each, and what may be left out. */
export class ExportRefused extends Error {
  override readonly name = 'ExportRefused';
  readonly refusals: readonly Refusal[];

  constructor(to: Trainer, refusals: readonly Refusal[]) {
    const lines = refusals.map(({ setting, why, without }) => {
      const advice = without === null ? '' : ` (or leave it out: --without ${without})`;
      return `${setting}: ${why}${advice}`;
    });
    super(`${to} cannot run this experiment. ${lines.join('. ')}.`);
    this.refusals = refusals;
  }
}

export interface ExportOptions {
  readonly without?: readonly Without[];
  readonly read: ReadSource;
}

const leaving = (experiment: Experiment, without: readonly Without[]): Experiment => ({
  ...experiment,
  settings: settingsWithout(experiment.settings, without),
  run: without.includes('adapter') ? null : experiment.run,
});

const inputOf = ({ settings, policy, run }: Experiment): MappingInput => ({
  settings,
  maxContext: policy.maxContext,
  startStep: run?.step ?? 0,
  hasAdapter: run !== null,
});

/** What stands in the way of an export; empty where nothing does. */
export const exportRefusals = (
  experiment: Experiment,
  to: Trainer,
  without: readonly Without[] = [],
): readonly Refusal[] => EXPORTS[to].map(inputOf(leaving(experiment, without))).refusals;

/**
 * The folder that runs an experiment on another trainer.
 * @throws ExportRefused where a setting has no counterpart there; Error without training questions
 */
export async function exportFolder(
  experiment: Experiment,
  to: Trainer,
  { without = [], read }: ExportOptions,
): Promise<readonly FolderFile[]> {
  const trainer = EXPORTS[to];
  const exported = leaving(experiment, without);
  const { settings, policy, world, elsewhere, run, version } = exported;
  const mapping = trainer.map(inputOf(exported));
  if (mapping.refusals.length > 0) throw new ExportRefused(to, mapping.refusals);
  const questions = await questionLines(exported);
  const lines = linesFile('questions.jsonl', questions);
  const copied = await copies(read, trainer.sources);
  const weights = run?.adapter.find(({ name }) => name === ADAPTER_WEIGHTS);
  const trains = questions.filter(({ split }) => split === 'train').length;
  const file: ExperimentFile = {
    format: 'forage.experiment/1',
    name: asWord(`${settings.preset}-${settings.seed}`),
    forage: version,
    settings,
    without: [...without],
    policy,
    world,
    elsewhere,
    questions: {
      file: lines.path,
      sha256: await sha256(lines.content),
      train: trains,
      heldOut: questions.length - trains,
    },
    adapter: weights ? { folder: 'adapter', sha256: await sha256(weights.bytes) } : null,
    run: run && { id: run.id, step: run.step, curriculum: run.curriculum },
    trainer: {
      name: to,
      versions: pinnedVersions(copied),
      rows: rowCount(settings, run?.step ?? 0),
      arguments: mapping.arguments,
      notes: [...mapping.notes],
    },
  };
  return [
    jsonFile('experiment.json', file),
    lines,
    ...(run?.adapter ?? []).map(({ name, bytes }) => ({
      path: `adapter/${name}`,
      content: bytes,
      executable: false,
    })),
    ...copied,
    ...(await trainer.files({ file, questions })),
  ];
}
