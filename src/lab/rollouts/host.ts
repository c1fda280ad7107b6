import { ImportError } from '../../formats/rollouts/import.ts';
import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import type { RunFile } from '../../formats/rollouts/run.ts';
import { alignGroup, groupCredit, tokenCredit } from '../../evaluate/rollouts/align.ts';
import type { Criterion } from '../../evaluate/rollouts/compare-runs.ts';
import { diffRollouts } from '../../evaluate/rollouts/diff.ts';
import {
  type Disagreement,
  DisagreementQueue,
} from '../../evaluate/rollouts/rescore/disagreement.ts';
import type { JudgeOutcome } from '../../evaluate/judge/run.ts';
import { rescore } from '../../evaluate/rollouts/rescore/rescore.ts';
import { whatIf, type WhatIfSettings } from '../../evaluate/rollouts/what-if/what-if.ts';
import { transfer } from '../rpc/wire.ts';
import { NamedJobs } from '../storage/jobs.ts';
import { compared, distributionOf, facetsOf, faultOf, selected } from './browse.ts';
import type {
  Browsed,
  BrowseQuery,
  ComparedRuns,
  ExportFormat,
  MatchingRow,
  ImportOutcome,
  ImportProgress,
  JudgeStatus,
  RolloutsApi,
  RolloutFile,
  SearchUpdate,
  Selection,
  Spelled,
  SpellTokens,
} from '../contract/rollouts.ts';
import type {
  GroupField,
  Mark,
  RolloutPlace,
  SavedView,
  StoredRow,
  FileRecord,
} from '../contract/records/rollout-files.ts';
import { isRolloutFormat, rolloutLines, TABLE_TYPES, tableText } from './export.ts';
import {
  evaluationFileId,
  evaluationLines,
  isRunFile,
  runFileId,
  ownEvaluationsOf,
  type EvaluationSource,
  type RunSource,
  withoutFile,
} from './own-runs.ts';
import { packReading } from './packed.ts';
import { readingOf, rolloutFile, sameQuestion } from './reading.ts';
import { searchAll, type Searched } from './search-all.ts';
import { Spelling } from './spelling.ts';
import { type RolloutsStore, type StoreImportOptions, tagsOf } from './store.ts';
import { itemsToJudge, judgeStatusOf } from './verdicts.ts';

/** Rows of the files that were asked for last, in memory: sorting and filtering read nothing again. */

const KEPT = 3;

interface Table {
  /** Of the file: marks go by it. */
  name: string;
  rows: StoredRow[];
  /** Position by rollout id, the first of equal ones. */
  positions: Map<string, number>;
  /** First chunk that was not read yet. */
  next: number;
  /** Whether a file that is still being read may have more. */
  open: boolean;
}

class RowTables {
  readonly #store: RolloutsStore;
  readonly #tables = new Map<string, Table>();
  readonly #reading = new Map<string, Promise<Table>>();

  constructor(store: RolloutsStore) {
    this.#store = store;
  }

  /** A file that is replaced is read again. */
  forget(fileId: string): void {
    this.#tables.delete(fileId);
  }

  /** Tags are in the rows of every file of that name. */
  retag(mark: Mark): void {
    const tags = tagsOf(mark);
    for (const table of this.#tables.values()) {
      if (table.name !== mark.file) continue;
      table.rows = table.rows.map((stored) =>
        stored.row.id === mark.rollout ? { ...stored, row: { ...stored.row, tags } } : stored,
      );
    }
  }

  /** One reader of a file at a time: two would both add the rows that are new. */
  #table(fileId: string): Promise<Table> {
    const before = this.#reading.get(fileId) ?? Promise.resolve();
    const reading = before.catch(() => undefined).then(() => this.#read(fileId));
    this.#reading.set(fileId, reading);
    return reading;
  }

  async #read(fileId: string): Promise<Table> {
    let table = this.#tables.get(fileId);
    const file = await this.#store.file(fileId);
    const open = file?.status === 'importing';
    // The checks over the whole file label rows that were read before.
    if (!table || (table.open && !open))
      table = { name: file?.name ?? '', rows: [], positions: new Map(), next: 0, open };
    this.#tables.delete(fileId);
    this.#tables.set(fileId, table);
    for (const key of this.#tables.keys()) if (this.#tables.size > KEPT) this.#tables.delete(key);
    if (table.next > 0 && !open) return table;
    const fresh = await this.#store.rows(fileId, table.next);
    if (fresh.length === 0) return table;
    // A new list: who looks at the one before sees it as it was.
    table.rows = [...table.rows, ...fresh];
    for (let at = table.rows.length - fresh.length; at < table.rows.length; at++) {
      const { id } = table.rows[at]!.row;
      if (!table.positions.has(id)) table.positions.set(id, at);
    }
    table.next = fresh.at(-1)!.chunk + 1;
    return table;
  }

  /** All rows of a file, as far as it is read; not to be changed. */
  async rows(fileId: string): Promise<readonly StoredRow[]> {
    return (await this.#table(fileId)).rows;
  }

  /** Position of a rollout; null where the file has none of that id. */
  async position(fileId: string, rolloutId: string): Promise<number | null> {
    return (await this.#table(fileId)).positions.get(rolloutId) ?? null;
  }
}

/** All that is stored with rollouts, each once: what a file was made of is looked for in the file. */
async function searchedOf(
  store: { parts: Searched['parts'] },
  files: readonly FileRecord[],
  runs: RunSource | null,
  evaluations: EvaluationSource | null,
  signal: AbortSignal,
): Promise<Searched> {
  return {
    files,
    parts: (fileId) => store.parts(fileId),
    runs: withoutFile((await runs?.runs()) ?? [], runFileId, files),
    steps: (id) => runs?.steps(id, signal) ?? [],
    evaluations: withoutFile(await ownEvaluationsOf(evaluations), evaluationFileId, files),
    made: (id) => evaluations?.parts(id, signal) ?? [],
  };
}

/** Answers per subject kept until the subject is gone, the latest few of each. */

const MOST = 6;

class ResultCache<T> {
  readonly #answers = new WeakMap<object, Map<string, T>>();

  /** The answer that was worked out before, or a new one; what fails or is stopped is not kept. */
  async read(subject: object, question: string, work: () => Promise<T>): Promise<T> {
    const answers = this.#answers.get(subject) ?? new Map<string, T>();
    this.#answers.set(subject, answers);
    const known = answers.get(question);
    if (known !== undefined) return known;
    const answer = await work();
    answers.set(question, answer);
    for (const key of answers.keys()) if (answers.size > MOST) answers.delete(key);
    return answer;
  }
}

/** Rollouts between two signs of how far a re-scoring is. */
const TOLD_EVERY = 128;

interface Search {
  rows: readonly StoredRow[];
  /** Ids. */
  scorers: readonly string[];
  /** Told of the share of the rollouts that were scored, 0 to 1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

/** Rollouts of a file that scorers see differently, the widest apart first. @throws the signal's reason */
async function findDisagreements(
  store: RolloutsStore,
  fileId: string,
  { rows, scorers, onProgress, signal }: Search,
): Promise<Disagreement[]> {
  const queue = new DisagreementQueue(scorers);
  for (const [at, row] of rows.entries()) {
    signal.throwIfAborted();
    queue.add(await store.rollout(fileId, row));
    if (at % TOLD_EVERY === TOLD_EVERY - 1) onProgress((at + 1) / rows.length);
  }
  return queue.result();
}

/** Answers the page from a store; one job of a name at a time. */
export class RolloutsHost implements RolloutsApi {
  readonly #store: RolloutsStore;
  readonly #tables: RowTables;
  readonly #runs: RunSource | null;
  readonly #ready: Promise<unknown>;
  readonly #evaluations: EvaluationSource | null;
  readonly #spelling: Spelling;
  readonly #jobs = new NamedJobs();
  #keeping: Promise<void> = Promise.resolve();
  readonly #scored = new ResultCache<Disagreement[]>();

  /**
   * @param runs training runs, where there are any available
   * @param ready what imports and the list of files wait for: files left half read are marked by then
   * @param evaluations evaluations of several systems, where there are any available
   * @param spelling tokenizers, where there are any available
   */
  constructor(
    store: RolloutsStore,
    runs: RunSource | null = null,
    ready: Promise<unknown> = Promise.resolve(),
    evaluations: EvaluationSource | null = null,
    spelling = new Spelling(() => Promise.resolve([])),
  ) {
    this.#evaluations = evaluations;
    this.#store = store;
    this.#tables = new RowTables(store);
    this.#runs = runs;
    this.#ready = ready;
    this.#spelling = spelling;
  }

  importFile(
    job: string,
    source: Blob | readonly RunFile[],
    name: string,
    onProgress: (progress: ImportProgress) => void,
  ): Promise<ImportOutcome> {
    return this.#jobs.run(job, (signal) => this.#import(source, name, { onProgress, signal }));
  }

  async #import(
    source: Blob | readonly RunFile[],
    name: string,
    options: StoreImportOptions,
  ): Promise<ImportOutcome> {
    try {
      await this.#ready;
      const record = await this.#store.importFile(source, name, options);
      return { status: 'ready', file: record };
    } catch (error) {
      if (error instanceof ImportError) return { status: 'failed', message: error.message };
      throw error;
    }
  }

  ownRuns = () => this.#runs?.runs() ?? Promise.resolve([]);

  ownEvaluations = () => ownEvaluationsOf(this.#evaluations);

  importRun(
    job: string,
    runId: string,
    onProgress: (progress: ImportProgress) => void,
  ): Promise<ImportOutcome> {
    return this.#jobs.run(job, async (signal): Promise<ImportOutcome> => {
      const run = (await this.ownRuns()).find(({ id }) => id === runId);
      if (!run || !this.#runs)
        return { status: 'failed', message: 'There is no such run in this browser.' };
      const lines = await this.#runs.lines(runId, signal);
      if (lines.size === 0)
        return {
          status: 'failed',
          message: `No rollouts of “${run.name}” are stored: they were deleted to free storage, or the run was imported without them.`,
        };
      const id = runFileId(runId);
      this.#tables.forget(id);
      return this.#import(lines, `run ${run.name}`, { id, onProgress, signal });
    });
  }

  importEvaluation(
    job: string,
    evaluationId: string,
    onProgress: (progress: ImportProgress) => void,
  ): Promise<ImportOutcome> {
    return this.#jobs.run(job, async (signal): Promise<ImportOutcome> => {
      const found = await evaluationLines(this.#evaluations, evaluationId, signal);
      if ('status' in found) return found;
      const id = evaluationFileId(evaluationId);
      this.#tables.forget(id);
      return this.#import(found.lines, found.name, { id, onProgress, signal });
    });
  }

  cancel(job: string): Promise<void> {
    this.#jobs.cancel(job);
    return Promise.resolve();
  }

  select(job: string, fileId: string, filter: string): Promise<Selection> {
    return this.#jobs.run(job, async (signal): Promise<Selection> => {
      try {
        return { status: 'ready', rows: await this.#store.select(fileId, filter, signal) };
      } catch (error) {
        return faultOf(error);
      }
    });
  }

  browse(job: string, fileId: string, query: BrowseQuery): Promise<Browsed> {
    return this.#jobs.run(job, async (signal): Promise<Browsed> => {
      try {
        const rows = await this.#tables.rows(fileId);
        const passing = await this.#store.positions(fileId, rows, query.filter, signal);
        return { status: 'ready', ...selected(rows, passing, query) };
      } catch (error) {
        signal.throwIfAborted();
        return faultOf(error);
      }
    });
  }

  async rowsAt(fileId: string, positions: readonly number[]): Promise<MatchingRow[]> {
    const rows = await this.#tables.rows(fileId);
    return positions.flatMap((position) => {
      const row = rows[position];
      return row ? [{ ...row, position }] : [];
    });
  }

  async ids(fileId: string, positions: readonly number[]): Promise<string[]> {
    const rows = await this.#tables.rows(fileId);
    return positions.flatMap((position) => rows[position]?.row.id ?? []);
  }

  async searchAll(text: string, onFound: (update: SearchUpdate) => void, signal: AbortSignal) {
    const [files, runs, evaluations] = [await this.files(), this.#runs, this.#evaluations];
    const searched = await searchedOf(this.#store, files, runs, evaluations, signal);
    await searchAll(searched, text, onFound, signal);
  }

  async find(fileId: string, rolloutId: string): Promise<MatchingRow | null> {
    const position = await this.#tables.position(fileId, rolloutId);
    return position === null ? null : ((await this.rowsAt(fileId, [position]))[0] ?? null);
  }

  async read(fileId: string, rolloutId: string) {
    const rows = await this.#tables.rows(fileId);
    // Rollouts that were read before they carried settings: the run itself still has them.
    return readingOf(this.#store, rows, fileId, rolloutId, async () => {
      if (!isRunFile(fileId)) return null;
      const run = (await this.ownRuns()).find(({ id }) => runFileId(id) === fileId);
      return run?.loss ?? null;
    });
  }

  async readPacked(fileId: string, rolloutId: string) {
    const reading = await this.read(fileId, rolloutId);
    if (!reading) return null;
    const packed = packReading(reading);
    const buffers = packed.columns.flatMap((columns) =>
      Object.values(columns).map(({ buffer }) => buffer),
    );
    return transfer(packed, buffers);
  }

  async spell(fileId: string, place: RolloutPlace): Promise<Spelled> {
    return this.#spelling.spell(await this.#store.rollout(fileId, place));
  }

  sameQuestion(fileId: string, question: { id: string; text: string }) {
    return sameQuestion(this.#store, (id) => this.#tables.rows(id), fileId, question);
  }

  rolloutFile(fileId: string, place: RolloutPlace, format: RolloutFile) {
    return rolloutFile(this.#store, fileId, place, format);
  }

  /** What is counted over the rows of a file and the positions that pass; null where it was stopped. */
  async #counted<T extends object>(
    job: string,
    fileId: string,
    filter: string,
    count: (rows: readonly StoredRow[], passing: readonly number[]) => T,
  ): Promise<T | null> {
    const counted = await this.#jobs.run(job, async (signal) => {
      const rows = await this.#tables.rows(fileId);
      try {
        return { value: count(rows, await this.#store.positions(fileId, rows, filter, signal)) };
      } catch (error) {
        signal.throwIfAborted();
        faultOf(error);
        return { value: count(rows, []) };
      }
    });
    return 'value' in counted ? counted.value : null;
  }

  facets(job: string, fileId: string, filter: string, field: GroupField) {
    return this.#counted(job, fileId, filter, (rows, passing) => facetsOf(rows, passing, field));
  }

  histogram(job: string, fileId: string, filter: string, column: string | null) {
    return this.#counted(job, fileId, filter, (rows, passing) =>
      distributionOf(rows, passing, column),
    );
  }

  exportRows(
    job: string,
    fileId: string,
    positions: Uint32Array,
    format: ExportFormat,
    columns: readonly string[],
    spell?: SpellTokens,
    onProgress?: (done: number, total: number) => void,
  ): Promise<Blob | null> {
    return this.#jobs
      .run(job, async (signal) => {
        const rows = await this.rowsAt(fileId, [...positions]);
        if (!isRolloutFormat(format))
          return new Blob([tableText(rows, columns, format)], { type: TABLE_TYPES[format] });
        const read = (row: StoredRow) => this.#store.rollout(fileId, row);
        const spelling = this.#spelling;
        return rolloutLines(rows, read, format, { signal, spell, spelling, onProgress });
      })
      .then((outcome) => (outcome instanceof Blob ? outcome : null));
  }

  async files() {
    await this.#ready;
    return this.#store.files();
  }

  rows = (fileId: string, from?: number) => this.#store.rows(fileId, from);
  rollout = (fileId: string, place: RolloutPlace) => this.#store.rollout(fileId, place);

  async lines(fileId: string): Promise<Blob | null> {
    await this.#ready;
    const file = await this.#store.file(fileId);
    if (!file || file.deletedAt !== null) return null;
    const parts: string[] = [];
    for await (const lines of this.#store.parts(fileId)) parts.push(`${lines.join('\n')}\n`);
    return new Blob(parts, { type: 'application/x-ndjson' });
  }

  remove = (fileId: string) => this.#store.remove(fileId);
  restore = (fileId: string) => this.#store.restore(fileId);
  purge = (before?: string) => this.#store.purge(before);
  marks = (file: string) => this.#store.marks(file);

  async mark(
    file: string,
    rollout: string,
    change: Partial<Pick<Mark, 'bookmarked' | 'tags' | 'note'>>,
  ): Promise<Mark> {
    const mark = await this.#store.mark(file, rollout, change);
    this.#tables.retag(mark);
    return mark;
  }

  views = () => this.#store.views();
  saveView = (view: SavedView) => this.#store.saveView(view);
  removeView = (name: string) => this.#store.removeView(name);

  async rescore(fileId: string, place: RolloutPlace) {
    return rescore(await this.#store.rollout(fileId, place));
  }

  async disagreements(
    job: string,
    fileId: string,
    scorers: readonly string[],
    onProgress: (share: number) => void,
  ): Promise<Disagreement[] | null> {
    const found = await this.#jobs.run(job, async (signal) => {
      const rows = await this.#tables.rows(fileId);
      return this.#scored.read(rows, scorers.join(), () =>
        findDisagreements(this.#store, fileId, { rows, scorers, onProgress, signal }),
      );
    });
    return Array.isArray(found) ? found : null;
  }

  async #group(
    fileId: string,
    groupId: string,
  ): Promise<{ rollouts: ImportedRollout[]; places: RolloutPlace[] }> {
    const rows = (await this.#tables.rows(fileId)).filter(({ row }) => row.group === groupId);
    const rollouts: ImportedRollout[] = [];
    for (const row of rows) rollouts.push(await this.#store.rollout(fileId, row));
    return { rollouts, places: rows.map(({ chunk, index }) => ({ chunk, index })) };
  }

  async group(fileId: string, groupId: string, settings: WhatIfSettings, beside: number) {
    const { rollouts, places } = await this.#group(fileId, groupId);
    const aligned = alignGroup(rollouts, beside);
    const credit = groupCredit(rollouts, settings);
    return aligned && { aligned, credit, places: places.slice(0, beside) };
  }

  async tokenCredit(fileId: string, groupId: string, rolloutId: string, settings: WhatIfSettings) {
    return tokenCredit((await this.#group(fileId, groupId)).rollouts, rolloutId, settings);
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

  async judgeStanding(fileId: string): Promise<JudgeStatus> {
    const file = await this.#store.file(fileId);
    if (!file) throw new Error('This file is not here any more; open it again.');
    return judgeStatusOf(file, await this.#tables.rows(fileId));
  }

  async toJudge(fileId: string, again: boolean) {
    const rows = await this.#tables.rows(fileId);
    return itemsToJudge(rows, (place) => this.#store.rollout(fileId, place), again);
  }

  async keepVerdicts(fileId: string, by: string, outcomes: readonly JudgeOutcome[]): Promise<void> {
    // One after another: each reads what the one before wrote.
    const before = this.#keeping;
    this.#keeping = before
      .catch(() => undefined)
      .then(() => this.#store.keepVerdicts(fileId, by, outcomes))
      .finally(() => this.#tables.forget(fileId));
    return this.#keeping;
  }

  async compare(fileA: string, fileB: string, criterion: Criterion): Promise<ComparedRuns> {
    return compared(await this.#tables.rows(fileA), await this.#tables.rows(fileB), criterion);
  }
}
