import type { LocalSpec } from '../../../records/setup.ts';
import type { Passage } from '../../../records/records.ts';
import type { OnnxEncoder } from '../../../retrieval/encoder/encoder.ts';
import type { EncoderDevice } from '../../../retrieval/encoder/runtime.ts';
import type { LearnedCache } from '../../../retrieval/cluster/learned.ts';
import { localMethod } from '../../../retrieval/methods/list.ts';
import type { IndexCache, LocalHooks } from '../../../retrieval/methods/method.ts';
import {
  openLocalSource,
  readEncoded,
  type OpenedLocal,
  type OpenedVectors,
} from '../../../retrieval/open-local.ts';
import type { VectorCache } from '../../../retrieval/sources/vector-cache.ts';
import type { EncoderHost } from '../../models/encoders/host.ts';

type CollectionsSpec = Extract<LocalSpec, { kind: 'collections' }>;

export interface SetupParts {
  encoders: Pick<EncoderHost, 'encoder' | 'reranker'>;
  /** The encoder that ships with the page; it is shared and not disposed of. */
  builtIn: () => Promise<OnnxEncoder>;
  /** Where stored models run. */
  device?: EncoderDevice;
  vectorCache?: VectorCache | null;
  indexCache?: IndexCache | null;
  learnedCache?: LearnedCache | null;
}

export interface OpenedSetup extends OpenedLocal {
  /** Its vectors; of lexical search, those that the encoder chosen beside it would make. */
  encoded(): Promise<OpenedVectors>;
  /** Ends the sessions that were opened for it. */
  dispose(): Promise<void>;
}

/**
 * A local source over the passages of collections, with the encoder and the reranker that a setup names.
 * @throws Error where one of them is not on this device; the signal's reason when aborted
 */
export async function openLocalSetup(
  { method, encoder: encoderId, reranker: rerankerId }: CollectionsSpec,
  passages: readonly Passage[],
  setup: SetupParts,
  hooks: LocalHooks = {},
): Promise<OpenedSetup> {
  const { encoders, builtIn, device = 'wasm', vectorCache = null } = setup;
  const { indexCache = null, learnedCache = null } = setup;
  const own: { dispose(): Promise<void> }[] = [];
  const keep = <T extends { dispose(): Promise<void> }>(model: T): T => {
    own.push(model);
    return model;
  };
  const dispose = async (): Promise<void> => {
    for (const model of own.splice(0)) await model.dispose();
  };
  try {
    const encoder = localMethod(method).dense ? await openEncoder() : null;
    const reranker = rerankerId === null ? null : keep(await encoders.reranker(rerankerId, device));
    const parts = { encoder, reranker, vectorCache, indexCache, learnedCache };
    const opened = await openLocalSource(passages, { method }, parts, hooks);
    return { ...opened, encoded: async () => opened.vectors ?? encodedLater(), dispose };
  } catch (error) {
    await dispose();
    throw error;
  }

  async function openEncoder(): Promise<OnnxEncoder> {
    if (encoderId === 'built-in') return builtIn();
    return keep(await encoders.encoder(encoderId, device));
  }

  async function encodedLater(): Promise<OpenedVectors> {
    const encoder = await openEncoder();
    const read = (now: LocalHooks = {}) => readEncoded(encoder, passages, vectorCache, now);
    return { encoder, inMemory: false, read };
  }
}
