import { spawnSync } from 'node:child_process';
import type { LoraSpec } from '../../policy/lora/spec.ts';
import { openCheckpoint } from '../../policy/checkpoint/checkpoint.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import { prepareNode } from '../../policy/node/prepare.ts';
import { cachedSummarizer } from '../../retrieval/summarize/cached.ts';
import { openSummarizer } from '../../retrieval/summarize/index.ts';
import { oracle } from '../../retrieval/summarize/oracle.ts';
import type { Summarizer } from '../../retrieval/summarize/summarizer.ts';
import { openReader, type CheckpointReader } from '../../policy/open/reader.ts';
import { version } from '../parts/export-source.ts';
import { folderRevision, type CheckpointFolder } from '../shared/checkpoint-folder.ts';
import { openFolder } from '../shared/parts.ts';
import { projectPath } from '../shared/paths.ts';
import { startThreads, type TrainThreads } from '../train/threads.ts';
import type { Maker } from './folder.ts';

/** The commit of the sources, with `+` where they differ from it; null without git. */
function commitOf(): string | null {
  const git = (...args: string[]): string | null => {
    const run = spawnSync('git', ['-C', projectPath('.'), ...args], { encoding: 'utf8' });
    return run.status === 0 ? run.stdout.trim() : null;
  };
  const commit = git('rev-parse', '--short=12', 'HEAD');
  if (commit === null) return null;
  return git('status', '--porcelain', '--', 'src', 'public') === '' ? commit : `${commit}+`;
}

/** The policy of a study, and threads that sample and train it. */
export class StudyEngine {
  readonly checkpoint: CheckpointFolder;
  readonly revision: string;
  readonly config: PolicyConfig;
  readonly #reader: CheckpointReader;
  readonly #options: { threads: number; microTokens: number };
  #threads: { adapter: string; started: TrainThreads } | null = null;
  /** Both are deterministic. */
  readonly summarizers: Record<'extractive' | 'oracle', Summarizer | null> = {
    extractive: openSummarizer({ kind: 'extractive' }),
    oracle: cachedSummarizer(oracle),
  };
  readonly #commit = commitOf();

  private constructor(
    parts: {
      checkpoint: CheckpointFolder;
      revision: string;
      config: PolicyConfig;
      reader: CheckpointReader;
    },
    options: { threads: number; microTokens: number },
  ) {
    this.checkpoint = parts.checkpoint;
    this.revision = parts.revision;
    this.config = parts.config;
    this.#reader = parts.reader;
    this.#options = options;
  }

  /** @throws UsageError, CheckpointError for a folder that holds no policy */
  static async open(
    policy: string | undefined,
    options: { threads: number; microTokens: number },
  ): Promise<StudyEngine> {
    const checkpoint = await openFolder(policy);
    prepareNode();
    const { config } = await openCheckpoint(checkpoint.files, checkpoint.limits.maxContext);
    const [revision, reader] = await Promise.all([
      folderRevision(checkpoint),
      openReader(checkpoint.files),
    ]);
    return new StudyEngine({ checkpoint, revision, config, reader }, options);
  }

  get tokenizer(): CheckpointReader['tokenizer'] {
    return this.#reader.tokenizer;
  }

  get maker(): Maker {
    return { version: version(), policy: { id: this.checkpoint.id, revision: this.revision } };
  }

  /** Provenance for result files. */
  get made(): Record<string, string | null> {
    return { commit: this.#commit, node: process.version, at: new Date().toISOString() };
  }

  /** Threads whose trainers have an adapter of that shape; started at first use. */
  async threads(adapter: LoraSpec): Promise<TrainThreads> {
    const shape = JSON.stringify(adapter);
    if (this.#threads?.adapter === shape) return this.#threads.started;
    await this.close();
    const started = await startThreads({
      ...this.#options,
      folder: this.checkpoint.path,
      id: this.checkpoint.id,
      device: 'wasm',
      weights: undefined,
      keys: 'f32',
      adapter,
      reader: this.#reader,
    });
    this.#threads = { adapter: shape, started };
    return started;
  }

  /** Ends the threads; new ones start at the next use. */
  async close(): Promise<void> {
    const threads = this.#threads;
    this.#threads = null;
    await threads?.started.close();
  }
}
