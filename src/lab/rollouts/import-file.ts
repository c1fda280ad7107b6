import type { ImportProgress } from '../contract/rollouts.ts';
import { importRun, type RunFile, type RunItem } from '../../formats/rollouts/run.ts';
import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import { countMissing } from '../../evaluate/rollouts/missing-parts.ts';
import { lintRollout } from '../../evaluate/rollouts/lint/index.ts';
import { lintRun, summaryOf, type LintSummary } from '../../evaluate/rollouts/lint/run.ts';
import { readFactsOf, type RolloutFacts } from '../../evaluate/rollouts/lint/facts.ts';
import { statisticsOf } from '../../evaluate/rollouts/statistics.ts';
import type { Finding } from '../../evaluate/rollouts/lint/finding.ts';
import { rowOf } from '../../evaluate/rollouts/row.ts';
import { gzip } from '../storage/blobs.ts';
import type { FileRecord, StoredRow } from '../contract/records/rollout-files.ts';
import type { RolloutsDatabase } from './database.ts';

/** Streams a file of rollouts into storage, chunk by chunk: what was read can be shown at once. */

/** A chunk is closed by whichever comes first. */
const CHUNK_ROLLOUTS = 128;
/** The first is small, so that there is something to read at once. */
const FIRST_ROLLOUTS = 16;
const CHUNK_CHARS = 2_000_000;

/** Faults that are kept with their reasons; all are counted. */
const KEPT_FAULTS = 1000;

export interface ImportOptions {
  onProgress?: (progress: ImportProgress) => void;
  signal?: AbortSignal;
}

const encoder = new TextEncoder();

/** Collects rollouts of one file and writes them in chunks. */
class FileWriter {
  readonly #database: RolloutsDatabase;
  readonly #record: FileRecord;
  #rows: StoredRow[] = [];
  #lines: string[] = [];
  #chars = 0;
  #chunk = 0;
  readonly #facts: RolloutFacts[] = [];
  readonly #summaries: LintSummary[] = [];
  readonly #places = new Map<string, { chunk: number; index: number }[]>();

  constructor(database: RolloutsDatabase, record: FileRecord) {
    this.#database = database;
    this.#record = record;
  }

  get progress(): ImportProgress {
    const { id, readBytes, bytes, rollouts, faultCount } = this.#record;
    return { fileId: id, readBytes, bytes, rollouts, faultCount, chunks: this.#chunk };
  }

  /** @returns whether a chunk was written */
  async add(item: RunItem): Promise<boolean> {
    const record = this.#record;
    record.readBytes = item.bytes;
    if (item.kind === 'fault') {
      record.faultCount += 1;
      const { file, line, reason } = item;
      if (record.faults.length < KEPT_FAULTS) record.faults.push({ file, line, reason });
      return false;
    }
    record.layouts[item.layout] = (record.layouts[item.layout] ?? 0) + 1;
    record.rollouts += 1;
    countMissing((record.lacks ??= {}), item.rollout);
    this.#take(item.rollout, item.line);
    const enough = this.#chunk === 0 ? FIRST_ROLLOUTS : CHUNK_ROLLOUTS;
    if (this.#rows.length < enough && this.#chars < CHUNK_CHARS) return false;
    await this.flush();
    return true;
  }

  #take(rollout: ImportedRollout, line: number): void {
    const findings = lintRollout(rollout);
    const facts = readFactsOf(rollout);
    const place = { chunk: this.#chunk, index: this.#rows.length };
    const text = JSON.stringify(rollout);
    this.#facts.push(facts);
    this.#summaries.push(summaryOf(rollout));
    this.#count(findings);
    this.#places.set(rollout.id, [...(this.#places.get(rollout.id) ?? []), place]);
    this.#rows.push({ ...place, line, row: rowOf(rollout, findings, facts) });
    this.#lines.push(text);
    this.#chars += text.length;
  }

  #count(findings: readonly Finding[]): void {
    const { lint } = this.#record;
    for (const code of new Set(findings.map((finding) => finding.code)))
      lint[code] = (lint[code] ?? 0) + 1;
  }

  /** Writes what was collected; rows, bodies and the file's record in one transaction. */
  async flush(): Promise<void> {
    const { files, rows, bodies } = this.#database;
    const fileId = this.#record.id;
    const chunk = this.#chunk;
    const gz = await gzip(encoder.encode(this.#lines.join('\n')));
    await this.#database.transaction('rw', files, rows, bodies, async () => {
      if (this.#rows.length > 0) {
        await rows.put({ fileId, chunk, rows: this.#rows });
        await bodies.put({ fileId, chunk, gz });
      }
      await files.put(this.#record);
    });
    if (this.#rows.length > 0) this.#chunk += 1;
    this.#rows = [];
    this.#lines = [];
    this.#chars = 0;
  }

  /** Statistics, and the checks that need the whole file; their labels are added to the rows. */
  async finish(): Promise<void> {
    await this.flush();
    const record = this.#record;
    const findings = lintRun(this.#summaries);
    for (const id of new Set(findings.map(({ rollout }) => rollout)))
      await this.#label(
        id,
        findings.filter(({ rollout }) => rollout === id),
      );
    record.status = 'ready';
    record.readBytes = record.bytes;
    record.statistics = statisticsOf(this.#facts);
    await this.#database.files.put(record);
  }

  async #label(id: string, findings: readonly Finding[]): Promise<void> {
    this.#count(findings);
    for (const { chunk, index } of this.#places.get(id) ?? []) {
      const stored = await this.#database.rows.get([this.#record.id, chunk]);
      const row = stored?.rows[index]?.row;
      if (!stored || !row) continue;
      row.lint = [...new Set([...row.lint, ...findings.map(({ code }) => code)])];
      await this.#database.rows.put(stored);
    }
  }
}

/**
 * Reads a file, or the files of a run, into storage.
 * @throws ImportError where there is no rollout in them, the signal's reason where it was stopped; the
 *   caller removes what was written until then
 */
export async function writeFile(
  database: RolloutsDatabase,
  record: FileRecord,
  files: readonly RunFile[],
  { onProgress, signal }: ImportOptions,
): Promise<void> {
  const writer = new FileWriter(database, record);
  await writer.flush();
  for await (const item of importRun(files, record.name)) {
    signal?.throwIfAborted();
    if (await writer.add(item)) onProgress?.(writer.progress);
  }
  signal?.throwIfAborted();
  await writer.finish();
  onProgress?.(writer.progress);
}
