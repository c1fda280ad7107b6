import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import { lossOfRun, withLoss } from '../../evaluate/rollouts/what-if/training.ts';
import type { RunStore } from '../storage/run-store.ts';
import type { OwnEvaluation, OwnRun } from '../contract/rollouts.ts';

/** Rollouts that training stored, as a file of `forage.rollout/1` that the inspector reads. */

/** What is needed of a run store. */
export interface RunSource {
  runs(): Promise<OwnRun[]>;
  /** Rollouts of every stored step, with the settings of the run. */
  steps(runId: string, signal: AbortSignal): AsyncIterable<ImportedRollout[]>;
  /** Their lines. */
  lines(runId: string, signal: AbortSignal): Promise<Blob>;
}

/** A rollout as it is stored, JSON, and the id that it has in an evaluation. */
export interface StoredLine {
  id: string;
  line: string;
}

/** What is needed of a store of evaluations. */
export interface EvaluationSource {
  list(): Promise<readonly (OwnEvaluation & { deletedAt: string | null })[]>;
  /** Every rollout that is there, some at a time. */
  parts(id: string, signal: AbortSignal): AsyncIterable<StoredLine[]>;
  /** @throws Error where there is none */
  get(id: string): Promise<{ name: string }>;
  /** Lines of every rollout that is there. */
  lines(id: string, signal: AbortSignal): Promise<Blob>;
}

const EVALUATION_FILE = 'evaluation-';

/** An evaluation has one file, whose addresses stay when it is read again. */
export const evaluationFileId = (evaluationId: string): string =>
  `${EVALUATION_FILE}${evaluationId}`;

/** Evaluations with rollouts. */
export const ownEvaluationsOf = async (source: EvaluationSource | null): Promise<OwnEvaluation[]> =>
  ((await source?.list()) ?? [])
    .filter(({ deletedAt, done }) => deletedAt === null && done > 0)
    .map(({ id, name, done }) => ({ id, name, done }));

/** The evaluation whose file this is; null of other files, whose ids begin otherwise. */
export const evaluationOfFile = (fileId: string): string | null =>
  fileId.startsWith(EVALUATION_FILE) ? fileId.slice(EVALUATION_FILE.length) : null;

/** The lines of an evaluation with the name of its file, or why there are none. */
export async function evaluationLines(
  source: EvaluationSource | null,
  id: string,
  signal: AbortSignal,
): Promise<{ lines: Blob; name: string } | { status: 'failed'; message: string }> {
  const found = await source?.get(id).catch(() => null);
  if (!found || !source)
    return { status: 'failed', message: 'There is no such evaluation in this browser.' };
  const lines = await source.lines(id, signal);
  return lines.size === 0
    ? { status: 'failed', message: `“${found.name}” has no rollouts yet.` }
    : { lines, name: `evaluation ${found.name}` };
}

const RUN_FILE = 'run-';

/** A run has one file, whose addresses stay when it is read again. */
export const runFileId = (runId: string): string => `${RUN_FILE}${runId}`;

/** Whether a file is that of a run of this browser, or of one that was; other files have ids without the prefix. */
export const isRunFile = (fileId: string): boolean => fileId.startsWith(RUN_FILE);

/** Runs, or evaluations, that no file was made of. @param fileIdOf the file of one */
export const withoutFile = <T extends { id: string }>(
  all: readonly T[],
  fileIdOf: (id: string) => string,
  files: readonly { id: string }[],
): T[] => {
  const ids = new Set(files.map(({ id }) => id));
  return all.filter(({ id }) => !ids.has(fileIdOf(id)));
};

/** @throws Error where a step's rollouts are damaged */
export const ownRunsOf = (store: Pick<RunStore, 'runs' | 'steps' | 'rollouts'>): RunSource => ({
  async runs() {
    const runs = await store.runs();
    return runs
      .filter(({ deletedAt, step }) => deletedAt === null && step > 0)
      .map(({ id, name, step, updatedAt, settings }) => ({
        id,
        name,
        step,
        updatedAt,
        loss: lossOfRun(settings),
      }));
  },
  async *steps(runId, signal) {
    const run = (await store.runs()).find(({ id }) => id === runId);
    for (const { step } of await store.steps(runId)) {
      signal.throwIfAborted();
      const rollouts = await store.rollouts(runId, step);
      yield rollouts.map((rollout) => (run ? withLoss(rollout, run.settings) : rollout));
    }
  },
  async lines(runId, signal) {
    const parts: string[] = [];
    for await (const rollouts of this.steps(runId, signal))
      for (const rollout of rollouts) parts.push(`${JSON.stringify(rollout)}\n`);
    return new Blob(parts, { type: 'application/x-ndjson' });
  },
});
