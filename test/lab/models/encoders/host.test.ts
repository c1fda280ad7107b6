import { readFileSync } from 'node:fs';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { beforeAll, describe, expect, it } from 'vitest';
import { openEncoderFromDisk } from '../../../../src/cli/shared/build-world.ts';
import type { OrtModule } from '../../../../src/retrieval/encoder/runtime.ts';
import { UNDO_MS } from '../../../../src/lab/contract/undo.ts';
import { undoEnded } from '../../../../src/lab/storage/free-deleted.ts';
import { EncoderHost } from '../../../../src/lab/models/encoder-host.ts';
import type { FolderFile } from '../../../../src/lab/contract/encoders.ts';
import { EncoderStore } from '../../../../src/lab/models/encoder-store.ts';
import { openLocalSetup } from '../../../../src/lab/corpus/retrieval/retrieval-host.ts';
import { diskFolder, readJson } from '../../../retrieval/encoder/model-folder.ts';
import { nodeOrt } from '../../../retrieval/encoder/ort-node.ts';
import { passage } from '../../../retrieval/passages.ts';
import { MemoryBlobs } from '../../storage/memory-blobs.ts';

const FIXTURES = 'test/fixtures/encoders';

/** A folder as a browser gives it: every path begins with the folder's name. */
const chosen = (name: string, without: string[] = []): FolderFile[] =>
  diskFolder(`${FIXTURES}/${name}`)
    .files.filter((file) => !without.includes(file))
    .map((file) => ({
      path: `${name}/${file}`,
      blob: new Blob([readFileSync(`${FIXTURES}/${name}/${file}`)]),
    }));

let ort: OrtModule;
beforeAll(async () => {
  ort = await nodeOrt();
}, 60_000);

function open(blobs = new MemoryBlobs(), indexedDB = new IDBFactory()) {
  const store = new EncoderStore(blobs, { dexie: { indexedDB, IDBKeyRange } });
  return {
    blobs,
    indexedDB,
    store,
    host: new EncoderHost(
      store,
      () => Promise.resolve(ort),
      () => 5,
    ),
  };
}

describe('encoders of a device', () => {
  it('are stored from a folder with what they need, and give the same vectors', async () => {
    const { host, blobs } = open();
    const facts = await host.add(chosen('bert-encoder'));
    expect(facts).toMatchObject({
      id: expect.stringMatching(/^bert-encoder@/),
      kind: 'encoder',
      dimensions: 32,
      maxTokens: 40,
      note: 'mean of tokens, unit length, “query: ” and “passage: ” in front',
      addedAt: 5,
    });
    expect(await host.list()).toEqual([facts]);
    // Manifest, model and tokenizer; not the rest of the folder.
    expect(blobs.files.size).toBe(3);
    const expected = readJson(`${FIXTURES}/bert-encoder/expected.json`) as {
      texts: string[];
      query: number[][];
    };
    const encoder = await host.encoder(facts.id);
    const vector = await encoder.encodeQuery(expected.texts[0]!);
    vector.forEach((value, i) => expect(value).toBeCloseTo(expected.query[0]![i]!, 5));
    await encoder.dispose();
  });

  it('that were removed can be brought back until the undo is over, and then are gone with their files', async () => {
    const { host, blobs, indexedDB } = open();
    const { id } = await host.add(chosen('bert-cross'));
    await host.remove(id);
    expect(await host.list()).toEqual([]);
    await expect(host.reranker(id)).rejects.toThrow(`no encoder "${id}" on this device`);
    await host.restore(id);
    expect(await host.list()).toHaveLength(1);
    await host.remove(id);
    // The page is loaded again.
    const { host: later, store } = open(blobs, indexedDB);
    expect(await later.list()).toEqual([]);
    await store.purge(undoEnded());
    expect(blobs.files.size).toBe(3);
    await store.purge(undoEnded(Date.now() + UNDO_MS + 1));
    expect(blobs.files.size).toBe(0);
    await expect(later.restore(id)).rejects.toThrow('removed for good');
  });

  it('are refused with what is missing, and nothing is kept', async () => {
    const { host, blobs } = open();
    await expect(host.add(chosen('bert-encoder', ['onnx/model.onnx']))).rejects.toThrow(
      'export the model to ONNX first',
    );
    await expect(host.add([{ path: 'x/readme.md', blob: new Blob(['x']) }])).rejects.toThrow(
      'x is neither an encoder (modules.json',
    );
    blobs.quota = 1000;
    await expect(host.add(chosen('bert-encoder'))).rejects.toThrow('nothing of it was kept');
    expect(blobs.files.size).toBe(0);
    expect(await host.list()).toEqual([]);
  });

  it('whose file is damaged on the disk are not run', async () => {
    const { host, blobs } = open();
    const { id } = await host.add(chosen('bert-encoder'));
    for (const bytes of blobs.files.values()) if (bytes.length > 100_000) bytes[5000]! ^= 1;
    expect(blobs.files.size).toBe(3);
    await expect(host.encoder(id)).rejects.toThrow('is damaged on this device');
  });
});

describe('a setup of collections', () => {
  const passages = [
    passage('a', 'Warsaw', 'Warsaw is the capital of Poland.'),
    passage('b', 'Zürich', 'Zürich has a café on the bridge.'),
    passage('c', 'Turing', 'Alan Turing proposed a game.'),
  ];
  const spec = { kind: 'collections' as const, ids: ['x'], method: 'hybrid' as const };

  it('opens the encoder and the reranker that it names, and says which is missing', async () => {
    const { host } = open();
    const builtIn = () => openEncoderFromDisk('public/encoder');
    const encoder = (await host.add(chosen('bert-encoder'))).id;
    const reranker = (await host.add(chosen('xlmr-cross'))).id;
    const setup = { ...spec, encoder, reranker };
    const opened = await openLocalSetup(setup, passages, { encoders: host, builtIn });
    // Three passages of one sentence teach no weights worth a name; that there are some is said.
    const [parts, ranked] = opened.note.split(/, fused \d : \d, /);
    expect([parts, ranked]).toEqual([`BM25+ and ${encoder}`, `reranked by ${reranker}`]);
    const { hits } = await opened.source.search('capital of Poland', 3);
    const ranker = await host.reranker(reranker);
    const scores = await ranker.score(
      'capital of Poland',
      hits.map((hit) => hit.passage),
    );
    hits.forEach(({ score }, i) => expect(score).toBeCloseTo(scores[i]!, 4));
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    await ranker.dispose();
    await opened.dispose();
    await expect(
      openLocalSetup({ ...setup, reranker: 'gone' }, passages, { encoders: host, builtIn }),
    ).rejects.toThrow('There is no encoder "gone" on this device');
  });
});
