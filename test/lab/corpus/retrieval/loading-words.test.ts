import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { serve } from '../../../../scripts/serve/server.mjs';
import { RetrievalHost } from '../../../../src/lab/corpus/retrieval/retrieval-host.ts';
import { EncoderStore } from '../../../../src/lab/models/encoder-store.ts';
import { ORT_WASM_FILE } from '../../../../src/retrieval/encoder/runtime.ts';
import type { Passage } from '../../../../src/records/records.ts';
import { MemoryBlobs } from '../../storage/memory-blobs.ts';

/** Enough passages for onnxruntime. */
const OWN: Passage[] = Array.from({ length: 40 }, (_, i) => ({
  id: `own-${i}`,
  title: `River ${i}`,
  text: `River ${i} is ${i + 20} km long.`,
  sentences: [`River ${i} is ${i + 20} km long.`],
}));

/** A server of a folder, for as long as the test runs. @returns its address, with a slash at its end */
const served = async (folder: string): Promise<string> => {
  const server = await serve({ root: resolve(folder) });
  onTestFinished(() => server.close());
  return server.url;
};

it('what is loading is named as what it is, once all its bytes are here', async () => {
  const page = await served('public');
  const ort = await served('node_modules/onnxruntime-web/dist');
  const host = new RetrievalHost({
    async *passages() {
      yield await Promise.resolve(OWN);
    },
    indexCache: null,
    vectorCache: null,
    learnedCache: null,
    encoders: new EncoderStore(new MemoryBlobs(), {
      dexie: { indexedDB: new IDBFactory(), IDBKeyRange },
    }),
  });
  /** Words as they changed, by part; and those that was at a full bar last. */
  const words: Record<string, string[]> = { world: [], retrieval: [] };
  const full: Record<string, boolean> = {};
  host.listen((part, stage, progress) => {
    full[part] = 'total' in progress && progress.total > 0 && progress.loaded >= progress.total;
    if (words[part]?.at(-1) !== stage) words[part]?.push(stage);
  });
  host.start({
    world: `${page}world/`,
    encoder: `${page}encoder/`,
    ortWasm: `${ort}${ORT_WASM_FILE.wasm}`,
  });
  await host.loadWorld();
  expect(words['world']?.at(-1)).toBe('reading the world');
  const opened = await host.openRetriever({
    local: { kind: 'built-in' },
    web: { kind: 'built-in' },
  });
  const stages = words['retrieval'] ?? [];
  /** Whether all were said, each after the ones before it. */
  const saidInOrder = (order: readonly string[]): void => {
    const places = order.map((one) => stages.lastIndexOf(one));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(stages).toEqual(expect.arrayContaining([...order]));
  };
  saidInOrder(['fetching the encoder', 'opening the encoder', 'indexing the passages']);
  // onnxruntime is fetched for those who encode passages of their own, and for no one else.
  const runtime = ['fetching the encoder runtime', 'starting the encoder runtime'];
  const { hits } = await host.search(opened.key, 'both', 'director of Silent Harbor', 5);
  expect(hits).toHaveLength(5);
  expect(stages).not.toEqual(expect.arrayContaining([runtime[0]]));
  await host.openRetriever({
    local: {
      kind: 'collections',
      ids: ['own'],
      method: 'flat',
      encoder: 'built-in',
      reranker: null,
    },
    web: { kind: 'built-in' },
  });
  saidInOrder(['opening the encoder', ...runtime]);
  expect(full).toEqual({ world: false, retrieval: false });
});
