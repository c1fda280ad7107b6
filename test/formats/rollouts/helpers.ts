import { readFileSync } from 'node:fs';
import { importRollouts, type ImportItem } from '../../../src/formats/rollouts/import.ts';
import type { ImportedRollout } from '../../../src/formats/rollouts/shape/imported.ts';

export async function readAll(
  source: Blob | ReadableStream<Uint8Array>,
  name = 'file',
): Promise<ImportItem[]> {
  const items: ImportItem[] = [];
  for await (const item of importRollouts(source, name)) items.push(item);
  return items;
}

export const blobOf = (...records: unknown[]): Blob =>
  new Blob(records.map((record) => `${JSON.stringify(record)}\n`));

/** The rollouts of a file that has no faults. */
export async function rolloutsOf(source: Blob, name?: string): Promise<ImportedRollout[]> {
  return (await readAll(source, name)).map((item) => {
    if (item.kind === 'fault') throw new Error(`line ${item.line} ${item.reason}`);
    return item.rollout;
  });
}

export async function importOne(record: unknown): Promise<ImportedRollout> {
  return (await rolloutsOf(blobOf(record)))[0]!;
}

/** Bytes in chunks of a given size: lines and characters are cut anywhere. */
export const inChunks = (bytes: Uint8Array, size: number): ReadableStream<Uint8Array> => {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
};

export const OWN_FILE = new URL('../../fixtures/inspect/kunlun-baize-dev.jsonl', import.meta.url);

/** Ten real rollouts of ours, one JSON text each. */
export const ownLines = (): string[] => readFileSync(OWN_FILE, 'utf8').trim().split('\n');

/**
 * Evaluation files of R1-Searcher: a small one of ours in their layout, and the published ones, which are
 * there only where the folder of shared data is.
 */
export const R1_SEARCHER_FILES: readonly URL[] = [
  '../../fixtures/inspect/r1-searcher-dev.jsonl',
  '../../../../shared/data/r1-searcher/hotpotqa_qwen.jsonl',
  '../../../../shared/data/r1-searcher/bamboogle_qwen.jsonl',
].map((path) => new URL(path, import.meta.url));
