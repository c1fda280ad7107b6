import { readSafetensors, writeSafetensors } from '../../policy/checkpoint/safetensors.ts';
import type { Json } from '../../learn/rl/contracts.ts';
import type { TrainState } from '../../learn/rl/state.ts';
import type { BlobRef, StoredAdapter } from './database.ts';

/** What a run keeps of each snapshot after the next ones took its place: enough to ask with, not to continue from. */

/** A third of a snapshot: without the optimizer's two moments. */
export type AskedState = Pick<TrainState, 'adapter' | 'router'>;

/** Bytes of one run's adapters at most. One of the built-in policy takes about 0.3 MB, of 0.5 billion parameters about 17. */
const ADAPTER_BYTES = 256 * 2 ** 20;

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

export const filesOfAdapter = ({ adapter, router }: StoredAdapter): BlobRef[] =>
  router ? [adapter, router] : [adapter];

const bytesOf = (kept: StoredAdapter): number =>
  filesOfAdapter(kept).reduce((sum, { bytes }) => sum + bytes, 0);

/** An adapter as a file with one flat tensor. */
export const packAdapter = (adapter: Float32Array): Uint8Array =>
  writeSafetensors(new Map([['adapter', { shape: [adapter.length], data: adapter }]]), 'F32');

/** @throws Error where the file has no adapter */
export function unpackAdapter(bytes: Uint8Array): Float32Array {
  const tensor = readSafetensors(bytes).get('adapter');
  if (!tensor) throw new Error('it has no tensor "adapter"');
  return Float32Array.from(tensor.data);
}

/** Writes the adapter of a state. @param scored whether held-out questions were asked with it */
export async function keepAdapter(
  { step, adapter, router }: TrainState,
  scored: boolean,
  write: (name: string, bytes: Uint8Array) => Promise<BlobRef>,
): Promise<StoredAdapter> {
  return {
    step,
    scored,
    adapter: await write(`adapter-${step}.safetensors`, packAdapter(adapter)),
    router:
      router === null ? null : await write(`router-${step}.json`, encode(JSON.stringify(router))),
  };
}

/** @throws Error where a file is not what was written */
export async function readAdapter(
  kept: StoredAdapter,
  read: (file: BlobRef) => Promise<Uint8Array>,
): Promise<AskedState> {
  const tensor = readSafetensors(await read(kept.adapter)).get('adapter');
  if (!tensor) throw new Error(`the adapter of step ${kept.step} has no tensor "adapter"`);
  const router =
    kept.router && (JSON.parse(new TextDecoder().decode(await read(kept.router))) as Json);
  return { adapter: Float32Array.from(tensor.data), router };
}

/**
 * Those that are left where all take more than `limit` bytes: of steps that were not scored the
 * oldest goes first, then of the scored ones. The newest stays.
 */
export function withinBytes<T extends { step: number; scored: boolean }>(
  kept: readonly T[],
  sizeOf: (one: T) => number,
  limit: number = ADAPTER_BYTES,
): T[] {
  const newest = kept.reduce((step, one) => Math.max(step, one.step), 0);
  const order = kept
    .filter(({ step }) => step !== newest)
    .toSorted((a, b) => Number(a.scored) - Number(b.scored) || a.step - b.step);
  let over = kept.reduce((sum, one) => sum + sizeOf(one), 0) - limit;
  const gone = new Set<number>();
  for (const one of order) {
    if (over <= 0) break;
    gone.add(one.step);
    over -= sizeOf(one);
  }
  return kept.filter(({ step }) => !gone.has(step));
}

/** `withinBytes` of what the run store keeps. */
export const withinLimit = (kept: readonly StoredAdapter[], limit?: number): StoredAdapter[] =>
  withinBytes(kept, bytesOf, limit);
