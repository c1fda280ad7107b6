import type {
  Trainer,
  ExperimentSource,
  NamedBytes,
  SourceRun,
} from '../../handover/export/parts/experiment.ts';
import { exportFolder, ExportRefused } from '../../handover/export/export-folder.ts';
import type { FolderFile, ReadSource } from '../../handover/export/parts/folder.ts';
import type { Note, OmittedPart } from '../../handover/export/mapping/mapping.ts';
import type { ExportApi, ExportPlan, ExportSubject } from '../contract/exports.ts';
import type { Download } from '../contract/training.ts';
import { tarOf } from './tar.ts';
import { readSmallFile } from '../../policy/checkpoint/checkpoint.ts';
import { cacheLimits } from '../../policy/checkpoint/limits.ts';
import { writePeft } from '../../policy/lora/peft.ts';
import { isUntrained } from '../../learn/rl/state.ts';
import { BUILT_IN_SETUP, type PolicyRef, type Setup } from '../../records/setup.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { CONFIG, SIDE_FILES } from '../models/checkpoints/plan/file-names.ts';
import type { PolicyFacts } from '../models/serving/policy-facts.ts';
import type { RunStore } from '../storage/run-store.ts';

/** An experiment out of the browser's stores, as the command line has it from folders. */
interface SourceParts {
  store: Pick<RunStore, 'run' | 'lastState'>;
  policy(ref: PolicyRef): Promise<PolicyFacts>;
  world(setup: Setup): Promise<{ seed: number; questions: ExperimentSource['questions'] }>;
  /** Passages of a collection, as JSON lines. */
  passages(collection: string): Promise<Blob>;
  version: string;
}

interface Described {
  settings: TrainSettings;
  setup: Setup;
  run: { id: string; name: string; revision: string } | null;
}

async function described({ store }: SourceParts, subject: ExportSubject): Promise<Described> {
  if (subject.kind === 'settings') return { ...subject, run: null };
  const { settings, setup, id, name, policy } = await store.run(subject.runId);
  const run = { id, name, revision: policy.revision };
  return { settings: { ...settings, steps: subject.steps }, setup: setup ?? BUILT_IN_SETUP, run };
}

/** tokenizer.json and what else of the kind the checkpoint has. */
async function tokenizerOf(facts: PolicyFacts): Promise<NamedBytes[]> {
  const { files, release } = await facts.open();
  try {
    const names = [...SIDE_FILES.filter((name) => name !== CONFIG), CONFIG];
    const found: NamedBytes[] = [];
    for (const name of names)
      if ((await files.size(name)) !== null)
        found.push({ name, bytes: new Uint8Array(await readSmallFile(files, name)) });
    return found;
  } finally {
    release();
  }
}

/** Passages in place of the world's. @throws Error for what a folder cannot carry */
async function corpusOf(parts: SourceParts, { local }: Setup): Promise<ExperimentSource['corpus']> {
  if (local.kind === 'built-in') return null;
  if (local.reranker !== null)
    throw new Error(
      'The local source orders its passages again by a model of this browser, which the environment’s server does not have. Switch it off on the Corpus page.',
    );
  if (local.encoder !== BUILT_IN_SETUP.local.kind && local.method !== 'lexical')
    throw new Error(
      'The local source is searched with an encoder that is stored in this browser only. Choose the built-in one, or lexical search.',
    );
  const files = await Promise.all(
    local.ids.map(async (id, i) => ({
      name: `passages-${i + 1}.jsonl`,
      bytes: new Uint8Array(await (await parts.passages(id)).arrayBuffer()),
    })),
  );
  return { files, method: local.method, encoder: null };
}

/** The last snapshot of a run; null before it learned anything, or without a run. */
async function runOf(
  { store }: SourceParts,
  { settings, run }: Described,
  { config, id, revision }: PolicyFacts,
): Promise<{ run: SourceRun | null; learningRate: number | null }> {
  const state = run && (await store.lastState(run.id));
  if (!run || !state || state.step === 0 || isUntrained(state))
    return { run: null, learningRate: null };
  if (run.revision !== revision)
    throw new Error(`“${run.name}” is an adapter of another policy than the one that is stored.`);
  const adapter = writePeft(config, settings.adapter, state.adapter, id);
  return {
    run: { id: run.id, step: state.step, curriculum: state.curriculum, adapter },
    learningRate: state.learningRate,
  };
}

/** @throws Error for what cannot leave this browser */
async function exportSource(parts: SourceParts, subject: ExportSubject): Promise<ExperimentSource> {
  const found = await described(parts, subject);
  const { settings, setup } = found;
  const [facts, world] = await Promise.all([parts.policy(setup.policy), parts.world(setup)]);
  const { run, learningRate } = await runOf(parts, found, facts);
  const { web } = setup;
  return {
    settings:
      learningRate === null
        ? settings
        : { ...settings, optimizer: { ...settings.optimizer, learningRate } },
    policy: {
      id: facts.id,
      revision: facts.revision,
      folder: null,
      maxContext: cacheLimits(facts.config).maxContext,
      vocabulary: facts.config.vocabSize,
      tokenizer: await tokenizerOf(facts),
    },
    world: { folder: null, seed: world.seed },
    corpus: await corpusOf(parts, setup),
    engine: 'url' in web ? { kind: web.kind, url: web.url } : null,
    questions: world.questions,
    run,
    version: parts.version,
  };
}

export interface ExportParts extends SourceParts {
  /** Files that a folder holds copies of. */
  read: ReadSource;
}

const bytesOf = ({ content }: FolderFile): Uint8Array<ArrayBuffer> =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;

/** What the folder itself says of where the trainer differs. */
function notesOf(files: readonly FolderFile[]): Note[] {
  const experiment = files.find(({ path }) => path === 'experiment.json')?.content;
  if (typeof experiment !== 'string') return [];
  const { trainer } = JSON.parse(experiment) as { trainer: { notes: Note[] } };
  return trainer.notes;
}

/** Exports to other trainers, in the lab worker. */
export class ExportHost implements ExportApi {
  readonly #parts: ExportParts;

  constructor(parts: ExportParts) {
    this.#parts = parts;
  }

  async plan(
    subject: ExportSubject,
    to: Trainer,
    without: readonly OmittedPart[],
  ): Promise<ExportPlan> {
    try {
      const files = await this.#files(subject, to, without);
      return { refusals: [], notes: notesOf(files), files: files.map(({ path }) => path) };
    } catch (error) {
      if (error instanceof ExportRefused) return { refusals: error.refusals, notes: [], files: [] };
      throw error;
    }
  }

  async folder(
    subject: ExportSubject,
    to: Trainer,
    without: readonly OmittedPart[],
  ): Promise<Download> {
    const files = await this.#files(subject, to, without);
    const name = `forage-${to}`;
    const pieced = files.map((file) => {
      const bytes = bytesOf(file);
      return {
        name: file.path,
        bytes: bytes.length,
        executable: file.executable,
        // eslint-disable-next-line @typescript-eslint/require-await -- a file in memory is one piece
        pieces: async function* () {
          yield bytes;
        },
      };
    });
    return { name: `${name}.tar`, blob: await tarOf(name, pieced, Date.now() / 1000) };
  }

  async #files(
    subject: ExportSubject,
    to: Trainer,
    without: readonly OmittedPart[],
  ): Promise<readonly FolderFile[]> {
    const { read } = this.#parts;
    return exportFolder(await exportSource(this.#parts, subject), to, { without, read });
  }
}
