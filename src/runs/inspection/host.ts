import { ImportError, type ImportedRollout } from '../../data/rollouts/index.ts';
import { alignGroup, groupCredit } from '../../evaluate/inspect/align.ts';
import {
  compareRuns,
  type ComparedFacts,
  type Criterion,
} from '../../evaluate/inspect/compare-runs.ts';
import { diffRollouts } from '../../evaluate/inspect/diff.ts';
import { FilterError } from '../../evaluate/inspect/filter/index.ts';
import { DisagreementQueue, rescore } from '../../evaluate/inspect/rescore/index.ts';
import type { RolloutRow } from '../../evaluate/inspect/row.ts';
import { whatIf, type WhatIfSettings } from '../../evaluate/inspect/what-if/index.ts';
import type { Mark, SavedView } from './database.ts';
import type { ImportProgress } from './import-file.ts';
import type { ImportOutcome, InspectionApi, Selection } from './messages.ts';
import type { InspectionStore, RolloutPlace } from './store.ts';

function comparedFacts({ id, questionId, numbers }: RolloutRow): ComparedFacts {
  const { em, f1, judge } = numbers;
  const coverEm = numbers['cover-em'];
  const subEm = numbers['sub-em'];
  const scored = em !== null && f1 !== null && coverEm !== null && subEm !== null;
  return {
    id,
    questionId,
    scores: scored ? { em, f1, coverEm, subEm } : null,
    judge: judge === null ? null : judge === 1,
  };
}

/** Answers the page from a store; one job of a name at a time. */
export class InspectionHost implements InspectionApi {
  readonly #store: InspectionStore;
  readonly #jobs = new Map<string, AbortController>();

  constructor(store: InspectionStore) {
    this.#store = store;
  }

  /** Runs under a name that `cancel` stops; an earlier job of that name is stopped. */
  async #job<T>(
    name: string,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | { status: 'cancelled' }> {
    this.#jobs.get(name)?.abort();
    const controller = new AbortController();
    this.#jobs.set(name, controller);
    try {
      return await run(controller.signal);
    } catch (error) {
      if (controller.signal.aborted) return { status: 'cancelled' };
      throw error;
    } finally {
      if (this.#jobs.get(name) === controller) this.#jobs.delete(name);
    }
  }

  importFile(
    job: string,
    file: Blob,
    name: string,
    onProgress: (progress: ImportProgress) => void,
  ): Promise<ImportOutcome> {
    return this.#job(job, async (signal): Promise<ImportOutcome> => {
      try {
        const record = await this.#store.importFile(file, name, { onProgress, signal });
        return { status: 'ready', file: record };
      } catch (error) {
        if (error instanceof ImportError) return { status: 'failed', message: error.message };
        throw error;
      }
    });
  }

  cancel(job: string): Promise<void> {
    this.#jobs.get(job)?.abort();
    return Promise.resolve();
  }

  select(job: string, fileId: string, filter: string): Promise<Selection> {
    return this.#job(job, async (signal): Promise<Selection> => {
      try {
        return { status: 'ready', rows: await this.#store.select(fileId, filter, signal) };
      } catch (error) {
        if (!(error instanceof FilterError)) throw error;
        const { message, position, length } = error;
        return { status: 'fault', message, position, length };
      }
    });
  }

  files = () => this.#store.files();
  rows = (fileId: string, from?: number) => this.#store.rows(fileId, from);
  rollout = (fileId: string, place: RolloutPlace) => this.#store.rollout(fileId, place);
  remove = (fileId: string) => this.#store.remove(fileId);
  restore = (fileId: string) => this.#store.restore(fileId);
  purge = (before?: string) => this.#store.purge(before);
  marks = (file: string) => this.#store.marks(file);
  mark = (
    file: string,
    rollout: string,
    change: Partial<Pick<Mark, 'bookmarked' | 'tags' | 'note'>>,
  ) => this.#store.mark(file, rollout, change);
  views = () => this.#store.views();
  saveView = (view: SavedView) => this.#store.saveView(view);
  removeView = (name: string) => this.#store.removeView(name);

  async rescore(fileId: string, place: RolloutPlace) {
    return rescore(await this.#store.rollout(fileId, place));
  }

  async disagreements(fileId: string, scorers?: string[], threshold?: number) {
    const queue = new DisagreementQueue(scorers, threshold);
    for (const row of await this.#store.rows(fileId))
      queue.add(await this.#store.rollout(fileId, row));
    return queue.result();
  }

  async #group(
    fileId: string,
    groupId: string,
  ): Promise<{ rollouts: ImportedRollout[]; places: RolloutPlace[] }> {
    const rows = (await this.#store.rows(fileId)).filter(({ row }) => row.group === groupId);
    const rollouts: ImportedRollout[] = [];
    for (const row of rows) rollouts.push(await this.#store.rollout(fileId, row));
    return { rollouts, places: rows.map(({ chunk, index }) => ({ chunk, index })) };
  }

  async group(fileId: string, groupId: string, settings: WhatIfSettings) {
    const { rollouts, places } = await this.#group(fileId, groupId);
    const aligned = alignGroup(rollouts);
    return aligned && { aligned, credit: groupCredit(rollouts, settings), places };
  }

  async whatIf(fileId: string, groupId: string, before: WhatIfSettings, after: WhatIfSettings) {
    return whatIf((await this.#group(fileId, groupId)).rollouts, before, after);
  }

  async diff(
    a: { fileId: string; place: RolloutPlace },
    b: { fileId: string; place: RolloutPlace },
  ) {
    return diffRollouts(
      await this.#store.rollout(a.fileId, a.place),
      await this.#store.rollout(b.fileId, b.place),
    );
  }

  async compare(fileA: string, fileB: string, criterion: Criterion) {
    const facts = async (fileId: string) =>
      (await this.#store.rows(fileId)).map(({ row }) => comparedFacts(row));
    return compareRuns(await facts(fileA), await facts(fileB), criterion);
  }
}
