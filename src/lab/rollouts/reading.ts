import type { Neighbour, Reading, RolloutFile } from '../contract/rollouts.ts';
import { writeRollout } from '../../formats/rollouts/write.ts';
import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import { rolloutHtml } from '../../evaluate/rollouts/export/html.ts';
import { rolloutMarkdown } from '../../evaluate/rollouts/export/markdown.ts';
import { hopMap } from '../../evaluate/rollouts/hops.ts';
import { lintRollout } from '../../evaluate/rollouts/lint/index.ts';
import { readRounds } from '../../evaluate/rollouts/reading/rounds.ts';
import { lossOfRollout, type LossSettings } from '../../evaluate/rollouts/what-if/training.ts';
import type { FileRecord, RolloutPlace, StoredRow } from '../contract/records/rollout-files.ts';
import type { RolloutsStore } from './store.ts';

/** A rollout with what its reader needs beside it; made off the page, because texts can be long. */

const neighbour = (file: Pick<FileRecord, 'id' | 'name'>, { row }: StoredRow): Neighbour => ({
  fileId: file.id,
  file: file.name,
  id: row.id,
  answer: row.answer,
  notScored: row.notScored,
  ...(row.outside !== undefined && { outside: row.outside }),
  em: row.numbers.em,
  reward: row.numbers.reward,
});

/**
 * @param lossOfFile settings of the run that the file's rollouts are of, where it is one of this browser
 * @returns null where there is no such file, or no such rollout in it
 */
export async function readingOf(
  store: RolloutsStore,
  rows: readonly StoredRow[],
  fileId: string,
  rolloutId: string,
  lossOfFile: () => Promise<LossSettings | null> = () => Promise.resolve(null),
): Promise<Reading | null> {
  const file = (await store.files()).find(({ id }) => id === fileId);
  const position = rows.findIndex(({ row }) => row.id === rolloutId);
  const row = rows[position];
  if (!file || !row) return null;
  const rollout = await store.rollout(fileId, row);
  const { id, name, rollouts, status } = file;
  return {
    file: { id, name, rollouts, status },
    row,
    rollout,
    rounds: readRounds(rollout),
    findings: lintRollout(rollout),
    hops: hopMap(rollout),
    position,
    previous: rows[position - 1]?.row.id ?? null,
    next: rows[position + 1]?.row.id ?? null,
    siblings: rows
      .filter((other) => other.row.group === row.row.group)
      .map((other) => neighbour(file, other)),
    loss: lossOfRollout(rollout) ?? (await lossOfFile()),
  };
}

/** Rollouts of the same question in other files, those with the same text; files in their order. */
export async function sameQuestion(
  store: RolloutsStore,
  rowsOf: (fileId: string) => Promise<readonly StoredRow[]>,
  fileId: string,
  question: { id: string; text: string },
): Promise<Neighbour[]> {
  const found: Neighbour[] = [];
  for (const file of await store.files()) {
    if (file.id === fileId) continue;
    for (const stored of await rowsOf(file.id))
      if (stored.row.questionId === question.id || stored.row.question === question.text)
        found.push(neighbour(file, stored));
  }
  return found;
}

const TYPES: Record<RolloutFile, string> = {
  jsonl: 'application/x-ndjson',
  markdown: 'text/markdown',
  html: 'text/html',
};

const WRITERS: Record<RolloutFile, (rollout: ImportedRollout) => string> = {
  jsonl: (rollout) => `${writeRollout(rollout, 'forage')}\n`,
  markdown: rolloutMarkdown,
  html: rolloutHtml,
};

export async function rolloutFile(
  store: RolloutsStore,
  fileId: string,
  place: RolloutPlace,
  format: RolloutFile,
): Promise<Blob> {
  const rollout = await store.rollout(fileId, place);
  return new Blob([WRITERS[format](rollout)], { type: `${TYPES[format]};charset=utf-8` });
}
