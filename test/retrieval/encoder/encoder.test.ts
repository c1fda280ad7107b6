import { beforeAll, describe, expect, it } from 'vitest';
import { fetchFromDisk, openEncoderFromDisk } from '../../../src/cli/shared/build-world.ts';
import { OnnxEncoder } from '../../../src/retrieval/encoder/encoder.ts';
import { poolRows, unitRows } from '../../../src/retrieval/encoder/encoder.ts';
import type { OrtModule } from '../../../src/retrieval/encoder/runtime.ts';
import { pad } from '../../../src/retrieval/encoder/tokens.ts';
import type { FetchFile } from '../../../src/base/fetch-file.ts';
import { openWorldRetriever } from '../../../src/retrieval/open.ts';
import { loadWorld, type World } from '../../../src/retrieval/world/load.ts';
import { ALL_TESTS } from '../../slow/slow.ts';
import { nodeOrt } from './ort-node.ts';

describe('the shipped encoder and the built-in world', () => {
  let encoder: OnnxEncoder;
  let world: World;
  const worldFiles = fetchFromDisk('public/world');
  beforeAll(async () => {
    encoder = await openEncoderFromDisk('public/encoder');
    world = await loadWorld(worldFiles);
  }, 60_000);

  it('belong together: the encoder gives the vectors that the world holds', async () => {
    const passages = world.local.slice(0, 40);
    const { dimensions, values } = await encoder.encodePassages(passages);
    expect(world.manifest.vectors).toEqual({ dimensions, encoder: encoder.id });
    values.forEach((value, i) =>
      expect(Math.abs(value - (world.vectors?.values[i] ?? NaN))).toBeLessThan(1e-3),
    );
  });

  it('find the gold passage in the first five for at least 0.75 of the gold queries', async () => {
    const retriever = openWorldRetriever(world, worldFiles, { encoder });
    const steps = world.questions
      .filter(({ split }) => split === 'test')
      .flatMap(({ chain = [] }) => chain)
      .slice(0, ALL_TESTS ? 150 : 60);
    const found = await Promise.all(
      steps.map(async ({ query, title }) =>
        (await retriever.search('both', query, 5)).hits.some(
          ({ passage }) => passage.title === title && passage.noise === undefined,
        ),
      ),
    );
    expect(found.filter(Boolean).length / steps.length).toBeGreaterThanOrEqual(0.75);
  });

  it('give the same vector to a query whatever was asked before', async () => {
    const other = await openEncoderFromDisk('public/encoder');
    const query = 'director of Silent Harbor';
    await Promise.all([encoder.encodeQuery('something else'), encoder.encodeQuery('a')]);
    expect(await encoder.encodeQuery(query)).toEqual(await other.encodeQuery(query));
  });
});

describe('a broken encoder folder', () => {
  let ort: OrtModule;
  const shipped = fetchFromDisk('public/encoder');
  beforeAll(async () => {
    ort = await nodeOrt();
  }, 60_000);
  const open = (name: string, bytes: Uint8Array): Promise<OnnxEncoder> => {
    const files: FetchFile = (asked) => (asked === name ? Promise.resolve(bytes) : shipped(asked));
    return OnnxEncoder.open(files, async () => ort);
  };

  it('is refused with the name of the file at fault', async () => {
    const text = new TextEncoder();
    await expect(open('encoder.json', text.encode('{}'))).rejects.toThrow('encoder.json: format');
    await expect(open('model.onnx', text.encode('no model'))).rejects.toThrow(
      'model.onnx: onnxruntime cannot load it on wasm',
    );
    await expect(open('tokenizer.json', text.encode('[]'))).rejects.toThrow('tokenizer.json: ');
  });
});

describe('pooling', () => {
  const batch = pad([[5, 6], [7]], 4);
  /** [2 texts, 2 tokens, 2 dimensions] */
  const output = new Float32Array([1, 2, 3, 4, 5, 6, 90, 90]);

  it('takes the mean over tokens, not over padding', () => {
    expect([...poolRows(output, batch, 2, 'mean')]).toEqual([2, 3, 5, 6]);
  });

  it('takes the first token', () => {
    expect([...poolRows(output, batch, 2, 'cls')]).toEqual([1, 2, 5, 6]);
  });

  it('refuses an output of another size', () => {
    expect(() => poolRows(output, batch, 2, 'none')).toThrow('8 values, expected 4');
  });

  it('scales rows to unit length and leaves zeros', () => {
    expect([...unitRows(new Float32Array([3, 4, 0, 0]), 2)].map((v) => v.toFixed(3))).toEqual([
      '0.600',
      '0.800',
      '0.000',
      '0.000',
    ]);
  });
});
