import { OnnxEncoder } from '../../retrieval/encoder/encoder.ts';
import { OnnxReranker } from '../../retrieval/encoder/reranker.ts';
import type { EncoderDevice, OrtModule } from '../../retrieval/encoder/runtime.ts';
import {
  withManifest,
  isSentenceTransformer,
  type ModelFolder,
} from '../../retrieval/encoder/sentence-transformers.ts';
import { type FetchFile, parseJson } from '../../base/fetch-file.ts';
import { EncoderError } from '../../retrieval/encoder/errors.ts';
import { z } from 'zod';
import { ENCODER_MANIFEST, RERANKER_MANIFEST } from '../../retrieval/encoder/manifest.ts';
import type { EncoderApi, EncoderFacts, EncoderKind, FolderFile } from '../contract/encoders.ts';
import { MANIFEST_OF, type EncoderStore } from './encoder-store.ts';

/** Files of a folder as the browser gives them: each path begins with the folder's own name. */
function folderOfFiles(files: readonly FolderFile[]): ModelFolder {
  const paths = files.map(({ path }) => path.replace(/^\//, '').split('/'));
  const top = paths[0]?.[0] ?? '';
  const shared = top !== '' && paths.every((path) => path.length > 1 && path[0] === top);
  const blobs = new Map(
    files.map(({ blob }, i) => [(shared ? paths[i]!.slice(1) : paths[i]!).join('/'), blob]),
  );
  return {
    name: shared ? top : 'encoder',
    files: [...blobs.keys()],
    read: async (name) => {
      const blob = blobs.get(name);
      if (!blob) throw new EncoderError(`${name}: not in the folder`);
      return new Uint8Array(await blob.arrayBuffer());
    },
  };
}

const configSchema = z.object({ architectures: z.array(z.string()).default([]) });

/**
 * Whether a folder holds an encoder or a cross-encoder.
 * @throws Error that says what such a folder has
 */
export async function kindOf(folder: ModelFolder): Promise<EncoderKind> {
  const { files } = folder;
  if (files.includes(ENCODER_MANIFEST) || isSentenceTransformer(folder)) return 'encoder';
  if (files.includes(RERANKER_MANIFEST)) return 'reranker';
  if (files.includes('config.json')) {
    const config = configSchema.safeParse(
      parseJson(await folder.read('config.json'), 'config.json'),
    );
    if (config.data?.architectures.some((name) => name.endsWith('ForSequenceClassification')))
      return 'reranker';
  }
  throw new EncoderError(
    `${folder.name} is neither an encoder (modules.json, as sentence-transformers saves it, or encoder.json) ` +
      'nor a cross-encoder (config.json of a …ForSequenceClassification, or reranker.json). Choose the whole folder.',
  );
}

/** Adds, lists and opens the encoders of this device: the side that runs in a worker. */
export class EncoderHost implements EncoderApi {
  readonly #store: EncoderStore;
  readonly #ort: (device: EncoderDevice) => Promise<OrtModule>;
  readonly #now: () => number;

  constructor(
    store: EncoderStore,
    ort: (device: EncoderDevice) => Promise<OrtModule>,
    now: () => number = Date.now,
  ) {
    this.#store = store;
    this.#ort = ort;
    this.#now = now;
    this.swept = store.sweep().catch(() => undefined);
  }

  readonly swept: Promise<void>;

  async list(): Promise<EncoderFacts[]> {
    await this.swept;
    return this.#store.list();
  }

  async add(files: FolderFile[]): Promise<EncoderFacts> {
    await this.swept;
    const folder = folderOfFiles(files);
    const kind = await kindOf(folder);
    const read = await withManifest(folder, kind);
    const tried = await this.#tryOnce(kind, read);
    const names = [MANIFEST_OF[kind], tried.model, tried.tokenizer];
    const stored = new Map<string, Uint8Array>();
    for (const name of names) stored.set(name, await read(name));
    const facts: EncoderFacts = {
      ...tried.facts,
      kind,
      bytes: [...stored.values()].reduce((sum, { length }) => sum + length, 0),
      addedAt: this.#now(),
    };
    await this.#store.add(facts, stored);
    return facts;
  }

  remove(id: string): Promise<void> {
    return this.#store.remove(id);
  }

  restore(id: string): Promise<void> {
    return this.#store.restore(id);
  }

  /** A stored encoder, loaded. @throws Error where it is not there or does not load */
  async encoder(id: string, device: EncoderDevice = 'wasm'): Promise<OnnxEncoder> {
    return OnnxEncoder.open(await this.#store.open(id), () => this.#ort(device), device);
  }

  /** A stored cross-encoder, loaded. @throws Error where it is not there or does not load */
  async reranker(id: string, device: EncoderDevice = 'wasm'): Promise<OnnxReranker> {
    const [files, ort] = await Promise.all([this.#store.open(id), this.#ort(device)]);
    return OnnxReranker.open(files, ort, device);
  }

  /** Opens the folder and runs one text through it: what cannot work is not stored. */
  async #tryOnce(kind: EncoderKind, read: FetchFile) {
    if (kind === 'reranker') {
      const reranker = await OnnxReranker.open(read, await this.#ort('wasm'));
      const { manifest } = reranker;
      try {
        await reranker.scorePairs([['a', 'b']]);
      } finally {
        await reranker.dispose();
      }
      const note = manifest.labels === 1 ? 'one logit' : 'two logits, their difference';
      return { ...manifest, facts: factsOf(manifest, null, note) };
    }
    const encoder = await OnnxEncoder.open(read, () => this.#ort('wasm'));
    const { manifest } = encoder;
    try {
      await encoder.encodeQuery('a');
    } finally {
      await encoder.dispose();
    }
    const { queryPrefix, passagePrefix, pooling, normalize } = manifest;
    const prefixes =
      queryPrefix || passagePrefix ? `, “${queryPrefix}” and “${passagePrefix}” in front` : '';
    const note = `${POOLING[pooling]}${normalize ? ', unit length' : ''}${prefixes}`;
    return { ...manifest, facts: factsOf(manifest, manifest.dimensions, note) };
  }
}

const POOLING = {
  none: 'pools itself',
  mean: 'mean of tokens',
  max: 'maximum of tokens',
  cls: 'first token',
  last: 'last token',
} as const;

const factsOf = (
  { id, maxTokens }: { id: string; maxTokens: number },
  dimensions: number | null,
  note: string,
) => ({ id, maxTokens, dimensions, note });
