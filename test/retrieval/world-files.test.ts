import { beforeAll, describe, expect, it } from 'vitest';
import type { WorldQuestion } from '../../src/retrieval/world/manifest.ts';
import { loadWorld } from '../../src/retrieval/world/load.ts';
import { openWorldRetriever } from '../../src/retrieval/open.ts';
import { writeWorld } from '../../src/retrieval/world/write.ts';
import { fetchFrom, passage } from './passages.ts';

const local = [
  passage('l2', 'Mara Voss', 'Mara Voss was born in Orlen.'),
  passage('l1', 'Silent Harbor', 'Silent Harbor was directed by Mara Voss.'),
];
const web = [passage('w1', 'Orlen', 'Orlen lies on the Tessa.')];
const questions: WorldQuestion[] = [
  {
    id: 'q1',
    text: 'Where was the director of Silent Harbor born?',
    answers: ['Orlen'],
    type: 'bridge',
    hops: 2,
    supporting: ['Silent Harbor', 'Mara Voss'],
    localSuffices: true,
    split: 'test',
  },
];
const encoder = {
  id: 'by-hand@1',
  dimensions: 2,
  encodeQuery: () => Promise.resolve(new Float32Array([0, 1])),
  encodePassages: () =>
    Promise.resolve({ dimensions: 2, values: new Float32Array([1, 0, 0.6, 0.8]) }),
};

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

describe('a world folder', () => {
  let files: Map<string, Uint8Array>;
  beforeAll(async () => {
    files = new Map();
    const write = (name: string, bytes: Uint8Array): Promise<void> => {
      files.set(name, bytes);
      return Promise.resolve();
    };
    await writeWorld({ seed: 7, local, web, questions }, write, encoder);
  });
  const load = (name: string, bytes: Uint8Array | null): ReturnType<typeof loadWorld> => {
    const changed = new Map(files);
    if (bytes) changed.set(name, bytes);
    else changed.delete(name);
    return loadWorld(fetchFrom(changed));
  };

  it('is read back as it was written, passages in order of id', async () => {
    const world = await loadWorld(fetchFrom(files));
    expect(world.local).toEqual([local[1], local[0]]);
    expect(world.questions).toEqual(questions);
    expect(world.manifest).toMatchObject({
      seed: 7,
      counts: { local: 2, web: 1, questions: 1 },
      vectors: { dimensions: 2, encoder: 'by-hand@1' },
    });
    expect(world.vectors?.values[2]).toBeCloseTo(0.6, 3);
  });

  it('can be searched', async () => {
    const fetchFile = fetchFrom(files);
    const retriever = openWorldRetriever(await loadWorld(fetchFile), fetchFile, { encoder });
    const first = async (source: 'local' | 'web'): Promise<string | undefined> =>
      (await retriever.search(source, 'Orlen', 1)).hits[0]?.passage.id;
    expect(await first('local')).toBe('l2');
    expect(await first('web')).toBe('w1');
  });

  it('refuses the queries of another encoder', async () => {
    const fetchFile = fetchFrom(files);
    const world = await loadWorld(fetchFile);
    const other = { ...encoder, id: 'other@2' };
    expect(() => openWorldRetriever(world, fetchFile, { encoder: other })).toThrow(
      "the world's vectors come from encoder by-hand@1, the loaded one is other@2",
    );
  });

  it('has no vectors where no encoder made them', async () => {
    const plain = new Map<string, Uint8Array>();
    await writeWorld(
      { seed: 7, local, web, questions },
      async (name, bytes) => Promise.resolve(void plain.set(name, bytes)),
      null,
    );
    expect((await loadWorld(fetchFrom(plain))).vectors).toBeNull();
  });

  it('names the file at fault', async () => {
    await expect(load('manifest.json', text('[]'))).rejects.toThrow('manifest.json: ');
    await expect(load('manifest.json', text('{"format":1}'))).rejects.toThrow(
      'manifest.json: format',
    );
    await expect(load('local.json', null)).rejects.toThrow('local.json: not found');
    await expect(load('local.json', text('[]'))).rejects.toThrow(
      'local.json: 2 bytes, the manifest',
    );
    const flipped = (files.get('vectors.f16') ?? new Uint8Array()).map((b, i) =>
      i === 0 ? ~b : b,
    );
    await expect(load('vectors.f16', flipped)).rejects.toThrow('vectors.f16: differs');
  });
});
