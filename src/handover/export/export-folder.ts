import { sha256 } from '../../base/hash.ts';
import { ADAPTER_WEIGHTS } from '../../policy/lora/peft.ts';
import { asWord } from '../../systems/index.ts';
import {
  environmentHash,
  EXPERIMENT_SCHEMA,
  filesDigest,
  TOKENIZER_FILES,
  type Experiment,
} from '../environment/experiment.ts';
import type { ExperimentFile, ExperimentSource, NamedBytes, Trainer } from './parts/experiment.ts';
import {
  copies,
  jsonFile,
  linesFile,
  type FolderFile,
  type ReadSource,
  type TextFile,
} from './parts/folder.ts';
import { firstDraw, rowCount } from './mapping/common.ts';
import type { MappingInput, Refusal, OmittedPart } from './mapping/mapping.ts';
import { questionLines, trainRows, type QuestionLine } from './parts/questions.ts';
import type { TrainerExport } from './parts/trainer.ts';
import { TRL } from './trl.ts';
import { VERL } from './verl.ts';
import { settingsWithout } from './without.ts';

/** Folders inside the exported one. */
const [TOKENIZER, CORPUS, ADAPTER] = ['tokenizer', 'corpus', 'adapter'] as const;

/** Files of every folder, below `src/handover/files`. */
const SHARED = ['shared/environment.sh', 'shared/forage_environment.py'];

const EXPORTS: Readonly<Record<Trainer, TrainerExport>> = { trl: TRL, verl: VERL };

/** Settings that the trainer cannot follow; the message names each, and what may be left out. */
export class ExportRefused extends Error {
  override readonly name = 'ExportRefused';
  readonly refusals: readonly Refusal[];

  constructor(to: Trainer, refusals: readonly Refusal[]) {
    const lines = refusals.map(({ setting, why, without }) => {
      const advice = without === null ? '' : ` (or leave it out: --without ${without})`;
      return `${setting}: ${why.replace(/\.$/u, '')}${advice}`;
    });
    super(`${to} cannot run this experiment. ${lines.join('. ')}.`);
    this.refusals = refusals;
  }
}

export interface ExportOptions {
  readonly without?: readonly OmittedPart[];
  /** How the files that the folder holds copies of are read. */
  readonly read: ReadSource;
}

const leaving = (source: ExperimentSource, without: readonly OmittedPart[]): ExperimentSource => ({
  ...source,
  settings: settingsWithout(source.settings, without),
  run: without.includes('adapter') ? null : source.run,
});

const inputOf = ({ settings, policy, run }: ExperimentSource): MappingInput => ({
  settings,
  maxContext: policy.maxContext,
  startStep: run?.step ?? 0,
  hasAdapter: run !== null,
});

/** What is in the way of an export; empty where nothing does. */
export const exportRefusals = (
  source: ExperimentSource,
  to: Trainer,
  without: readonly OmittedPart[] = [],
): readonly Refusal[] => EXPORTS[to].map(inputOf(leaving(source, without))).refusals;

const inFolder = (folder: string, files: readonly NamedBytes[]): FolderFile[] =>
  files.map(({ name, bytes }) => ({
    path: `${folder}/${name}`,
    content: bytes,
    executable: false,
  }));

/** @throws Error where the checkpoint has no tokenizer.json */
function tokenizerDigest(files: readonly NamedBytes[]): Promise<string> {
  const found = TOKENIZER_FILES.flatMap((name) => files.find((file) => file.name === name) ?? []);
  if (!found.some(({ name }) => name === 'tokenizer.json'))
    throw new Error('tokenizer.json is missing from the checkpoint; an export needs it');
  return filesDigest(found.map(({ bytes }) => bytes));
}

async function adapterOf({ run }: ExperimentSource): Promise<ExperimentFile['adapter']> {
  const weights = run?.adapter.find(({ name }) => name === ADAPTER_WEIGHTS);
  return weights ? { folder: ADAPTER, digest: await sha256(weights.bytes) } : null;
}

async function corpusOf({ corpus }: ExperimentSource): Promise<Experiment['corpus']> {
  if (!corpus) return null;
  const { files, method, encoder } = corpus;
  return {
    files: files.map(({ name }) => `${CORPUS}/${name}`),
    method,
    encoder,
    digest: await filesDigest(files.map(({ bytes }) => bytes)),
  };
}

/** What the environment reads of `experiment.json`. */
async function environmentOf(
  source: ExperimentSource,
  questions: readonly QuestionLine[],
  lines: TextFile,
) {
  const { settings, policy, world, engine, run } = source;
  const { tokenizer, id, revision, folder, maxContext, vocabulary } = policy;
  const trains = questions.filter(({ split }) => split === 'train').length;
  return {
    schema: EXPERIMENT_SCHEMA,
    runId: run?.id ?? `${asWord(settings.preset)}-${settings.seed}`,
    settings,
    policy: {
      id,
      revision,
      folder,
      vocabulary,
      maxContext,
      tokenizer: TOKENIZER,
      digest: await tokenizerDigest(tokenizer),
    },
    world,
    corpus: await corpusOf(source),
    engine,
    questions: {
      file: lines.path,
      digest: await filesDigest([new TextEncoder().encode(lines.content)]),
      train: trains,
      heldOut: questions.length - trains,
    },
    curriculum: run?.curriculum ?? null,
    run: run && { id: run.id, step: run.step },
  } as const;
}

const NAME = 'requirements.txt';
const PINNED = /^([A-Za-z0-9._-]+)==([A-Za-z0-9.+!_-]+)$/u;

/**
 * Packages of the folder's `requirements.txt` with the versions that it pins.
 * @throws Error for a line that pins none
 */
function pinnedVersions(files: readonly FolderFile[]): Record<string, string> {
  const content = files.find(({ path }) => path === NAME)?.content;
  if (typeof content !== 'string') throw new Error(`there is no ${NAME}`);
  const lines = content.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, version] = PINNED.exec(line.trim()) ?? [];
      if (name === undefined || version === undefined)
        throw new Error(`${NAME}: '${line}' pins no version`);
      return [name, version];
    }),
  );
}

/**
 * The folder that runs an experiment on another trainer.
 * @throws ExportRefused where a setting has no counterpart there; Error without training questions, or
 *   where the checkpoint has no tokenizer.json
 */
export async function exportFolder(
  given: ExperimentSource,
  to: Trainer,
  { without = [], read }: ExportOptions,
): Promise<readonly FolderFile[]> {
  const trainer = EXPORTS[to];
  const source = leaving(given, without);
  const input = inputOf(source);
  const mapping = trainer.map(input);
  if (mapping.refusals.length > 0) throw new ExportRefused(to, mapping.refusals);
  const questions = questionLines(source);
  const lines = linesFile('questions.jsonl', questions);
  const copied = await copies(read, [...trainer.sources, ...SHARED]);
  const environment = await environmentOf(source, questions, lines);
  const file: ExperimentFile = {
    ...environment,
    hash: await environmentHash(environment),
    forage: source.version,
    without,
    adapter: await adapterOf(source),
    trainer: {
      name: to,
      versions: pinnedVersions(copied),
      firstDraw: firstDraw(source.settings, input.startStep),
      rows: rowCount(source.settings, input.startStep),
      arguments: mapping.arguments,
      notes: mapping.notes,
    },
  };
  return [
    jsonFile('experiment.json', file),
    lines,
    ...inFolder(TOKENIZER, source.policy.tokenizer),
    ...inFolder(CORPUS, source.corpus?.files ?? []),
    ...inFolder(ADAPTER, source.run?.adapter ?? []),
    ...copied,
    ...(await trainer.files({ file, questions, rows: await trainRows(source) })),
  ];
}
