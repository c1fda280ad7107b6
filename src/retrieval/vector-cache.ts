import type { Passage } from '../records/records.ts';
import type { VectorTable } from './dense/dense.ts';
import type { BuildSignals } from './lexical/lexical.ts';
import { contentKey, type PassageEncoder } from './sources.ts';
import { createTurns } from '../base/turns.ts';
import { sha256 } from '../base/hash.ts';
import { itemAt, present } from '../base/items.ts';

/** Vectors by encoder and by the hash of the text that they were made of. */
export interface VectorCache {
  /** A vector for each key, where it is known. */
  read(encoder: string, keys: readonly string[]): Promise<(Float32Array | undefined)[]>;
  /** Row i belongs to key i. Failing to store is not a failure of the caller. */
  write(encoder: string, keys: readonly string[], vectors: VectorTable): Promise<void>;
}

/** An encoder whose vectors can be kept: it tells what they depend on. */
export interface CacheableEncoder extends PassageEncoder {
  /** All that a vector depends on beside the text; the id by default. */
  readonly revision?: string;
  /** The text that the model is shown; title and text by default. */
  passageText?(passage: Passage): string;
}

/** Passages that are looked up, encoded and stored at a time. */
const BLOCK = 512;

const textBytes = new TextEncoder();
const digest = (text: string): Promise<string> => sha256(textBytes.encode(text));

/**
 * Vectors of passages, row i for passage i: known ones from the cache, the others encoded and stored
 * block by block, so that what was stopped continues where it was. Equal texts are encoded once.
 * @throws Error where a stored vector has another length; the signal's reason when aborted
 */
export async function encodeCached(
  encoder: CacheableEncoder,
  passages: readonly Passage[],
  cache: VectorCache | null,
  { onProgress, signal }: BuildSignals = {},
): Promise<VectorTable> {
  if (!cache) return encoder.encodePassages(passages, onProgress, signal);
  const { dimensions } = encoder;
  const values = new Float32Array(passages.length * dimensions);
  const revision = await digest(encoder.revision ?? encoder.id);
  const turn = createTurns(signal);
  for (let start = 0; start < passages.length; start += BLOCK) {
    await turn();
    const block = passages.slice(start, start + BLOCK);
    const keys = await Promise.all(
      block.map((passage) => digest(encoder.passageText?.(passage) ?? contentKey(passage))),
    );
    const vectors = new Map<string, Float32Array>();
    for (const [i, vector] of (await cache.read(revision, keys)).entries())
      if (vector?.length === dimensions) vectors.set(itemAt(keys, i, 'keys of the cache'), vector);
    await addMissing(cache, vectors);
    for (const [i, key] of keys.entries())
      values.set(present(vectors.get(key), 'the vector of a passage'), (start + i) * dimensions);
    onProgress?.(start + block.length, passages.length);
    signal?.throwIfAborted();

    async function addMissing(cache: VectorCache, known: Map<string, Float32Array>): Promise<void> {
      const missing = new Map<string, Passage>();
      for (const [i, passage] of block.entries()) {
        const key = itemAt(keys, i, 'keys of the cache');
        if (!known.has(key) && !missing.has(key)) missing.set(key, passage);
      }
      if (missing.size === 0) return;
      const made = await encoder.encodePassages(
        [...missing.values()],
        (done) => onProgress?.(start + block.length - missing.size + done, passages.length),
        signal,
      );
      const names = [...missing.keys()];
      names.forEach((key, i) =>
        known.set(key, made.values.subarray(i * dimensions, (i + 1) * dimensions)),
      );
      await cache.write(revision, names, made);
    }
  }
  return { dimensions, values };
}
