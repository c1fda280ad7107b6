import { beforeAll, describe, expect, it } from 'vitest';
import type { Passage } from '../../../src/records/records.ts';
import { OnnxEncoder } from '../../../src/retrieval/encoder/encoder.ts';
import { OnnxReranker } from '../../../src/retrieval/encoder/reranker.ts';
import type { OrtModule } from '../../../src/retrieval/encoder/runtime.ts';
import {
  describeEncoder,
  describeReranker,
  isSentenceTransformer,
  withManifest,
} from '../../../src/retrieval/encoder/sentence-transformers.ts';
import { cutPair, TextTemplate } from '../../../src/retrieval/encoder/template.ts';
import { openTokenizer } from '../../../src/retrieval/encoder/tokens.ts';
import { changed, diskFolder, readJson } from './model-folder.ts';
import { nodeOrt } from './ort-node.ts';

/** Made by test/fixtures/encoders/make.py with sentence-transformers. */
const FIXTURES = 'test/fixtures/encoders';
const folderOf = (name: string) => diskFolder(`${FIXTURES}/${name}`);

interface EncoderFixture {
  texts: string[];
  plain: number[][];
  query: number[][];
  document: number[][];
}
interface CrossFixture {
  pairs: [string, string][];
  scores: number[];
  cut: { ids: number[]; types: number[] };
}

const passage = (text: string, i: number): Passage => ({
  id: String(i),
  title: '',
  text,
  sentences: [text],
});

let ort: OrtModule;
beforeAll(async () => {
  ort = await nodeOrt();
}, 60_000);

describe('a folder of sentence-transformers with an ONNX file', () => {
  const folder = folderOf('bert-encoder');
  const expected = readJson(`${FIXTURES}/bert-encoder/expected.json`) as EncoderFixture;

  it('gives the vectors that sentence-transformers gives, for queries and for passages', async () => {
    const encoder = await OnnxEncoder.open(await withManifest(folder, 'encoder'), async () => ort);
    const { dimensions, values } = await encoder.encodePassages(expected.texts.map(passage));
    expect(dimensions).toBe(32);
    expect(distance(values, expected.document.flat())).toBeLessThan(1e-5);
    for (const [i, text] of expected.texts.entries())
      expect(distance(await encoder.encodeQuery(text), expected.query[i]!)).toBeLessThan(1e-5);
    // The two prompts differ, so the check above can fail.
    expect(distance(values, expected.query.flat())).toBeGreaterThan(0.01);
    await encoder.dispose();
  });

  it('is described by its own files: pooling, prompts, the longest text', async () => {
    expect(isSentenceTransformer(folder)).toBe(true);
    expect(await describeEncoder(folder)).toMatchObject({
      id: expect.stringMatching(/^bert-encoder@[0-9a-f]{12}$/),
      model: 'onnx/model.onnx',
      dimensions: 32,
      pooling: 'mean',
      normalize: true,
      queryPrefix: 'query: ',
      passagePrefix: 'passage: ',
      // 40 in tokenizer_config.json, 64 positions in config.json.
      maxTokens: 40,
    });
  });

  it('in older versions has flags for pooling and its length in another file', async () => {
    const older = changed(folder, {
      '1_Pooling/config.json': { word_embedding_dimension: 32, pooling_mode_cls_token: true },
      'sentence_bert_config.json': { max_seq_length: 24, do_lower_case: true },
      'config_sentence_transformers.json': null,
      'modules.json': [
        { path: '', type: 'sentence_transformers.models.Transformer' },
        { path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
      ],
    });
    expect(await describeEncoder(older)).toMatchObject({
      pooling: 'cls',
      normalize: false,
      maxTokens: 24,
      lowerCase: true,
      queryPrefix: '',
      passagePrefix: '',
    });
  });

  it('of the E5 and BGE families gets the prefixes of their model cards', async () => {
    const bare = changed(folder, { 'config_sentence_transformers.json': null });
    expect(await describeEncoder({ ...bare, name: 'multilingual-e5-small' })).toMatchObject({
      queryPrefix: 'query: ',
      passagePrefix: 'passage: ',
    });
    expect(await describeEncoder({ ...bare, name: 'bge-small-en-v1.5' })).toMatchObject({
      queryPrefix: 'Represent this sentence for searching relevant passages: ',
      passagePrefix: '',
    });
    expect(await describeEncoder({ ...bare, name: 'all-MiniLM-L6-v2' })).toMatchObject({
      queryPrefix: '',
      passagePrefix: '',
    });
  });

  it('is refused where it needs what is not here, with the file and what to do', async () => {
    const refused = (files: Record<string, object | null>) =>
      describeEncoder(changed(folder, files));
    await expect(refused({ 'onnx/model.onnx': null })).rejects.toThrow(
      'no onnx/model.onnx or model.onnx in bert-encoder: export the model to ONNX first',
    );
    await expect(refused({ 'onnx/model.onnx_data': {} })).rejects.toThrow('in a second file');
    await expect(
      refused({ '1_Pooling/config.json': { pooling_mode: 'weightedmean' } }),
    ).rejects.toThrow('1_Pooling/config.json: pooling by weightedmean is not supported');
    await expect(refused({ 'modules.json': [{ path: '', type: 'm.CLIPModel' }] })).rejects.toThrow(
      'modules.json: a model of CLIPModel is not supported',
    );
    await expect(refused({ 'config.json': null })).rejects.toThrow('no config.json');
  });

  it('encodes each text as if it were alone, whatever stands beside it, and can be stopped', async () => {
    const encoder = await OnnxEncoder.open(await withManifest(folder, 'encoder'), async () => ort);
    // More than a batch, of many lengths, in no order.
    const texts = Array.from({ length: 70 }, (_, i) => 'Warsaw Poland '.repeat(1 + ((i * 7) % 11)));
    const progress: number[] = [];
    const all = await encoder.encodePassages(texts.map(passage), (done) => progress.push(done));
    expect(progress.at(-1)).toBe(70);
    for (const i of [0, 1, 33, 69]) {
      const { values } = await encoder.encodePassages([passage(texts[i]!, 0)]);
      expect(distance(values, [...all.values.subarray(i * 32, (i + 1) * 32)])).toBeLessThan(1e-5);
    }
    const stop = new AbortController();
    const stopped = encoder.encodePassages(
      texts.map(passage),
      () => stop.abort(new Error('enough')),
      stop.signal,
    );
    await expect(stopped).rejects.toThrow('enough');
    await encoder.dispose();
  });
});

describe.each(['bert-cross', 'xlmr-cross'])('the cross-encoder %s', (name) => {
  const expected = readJson(`${FIXTURES}/${name}/expected.json`) as CrossFixture;

  it('scores pairs as sentence-transformers does', async () => {
    const reranker = await OnnxReranker.open(await withManifest(folderOf(name), 'reranker'), ort);
    const scores = await reranker.scorePairs(expected.pairs);
    expect(distance(scores, expected.scores)).toBeLessThan(1e-4);
    // Turned around they score otherwise: the check sees which text is which.
    const turned = await reranker.scorePairs(expected.pairs.map(([a, b]) => [b, a]));
    expect(distance(turned, expected.scores)).toBeGreaterThan(1e-3);
    await reranker.dispose();
  });

  it('writes and cuts long pairs as its tokenizer does', async () => {
    const { maxTokens } = await describeReranker(folderOf(name));
    const template = new TextTemplate(
      openTokenizer(readJson(`${FIXTURES}/${name}/tokenizer.json`), 'tokenizer.json'),
    );
    const [first, second] = expected.pairs[3]!;
    const { ids, types } = template.pair(first, second, maxTokens);
    expect(ids).toEqual(expected.cut.ids);
    expect(types).toEqual(expected.cut.types);
    expect(ids).toHaveLength(maxTokens);
  });

  it('remembers scores: asked again, the model does not run', async () => {
    const reranker = await OnnxReranker.open(await withManifest(folderOf(name), 'reranker'), ort);
    const passages = expected.pairs.map(([, text], i) => passage(text, i));
    const first = await reranker.score('Warsaw', passages);
    await reranker.dispose();
    // The session is gone, so only what is remembered can answer.
    expect(await reranker.score('Warsaw', passages.toReversed())).toEqual(first.toReversed());
    await expect(reranker.score('Poland', passages)).rejects.toThrow();
  });
});

describe('cutting a pair', () => {
  it.each([
    [3, 4, 10, [3, 4]],
    [3, 20, 10, [3, 7]],
    [20, 3, 10, [7, 3]],
    [9, 20, 10, [5, 5]],
    [20, 30, 11, [5, 6]],
    [30, 20, 11, [6, 5]],
    [20, 3, 0, [0, 0]],
  ])('of %i and %i tokens to %i', (a, b, most, kept) => {
    expect(cutPair(a, b, most)).toEqual(kept);
  });
});

function distance(a: ArrayLike<number>, b: readonly number[]): number {
  expect(a.length).toBe(b.length);
  return Math.max(...b.map((value, i) => Math.abs(value - a[i]!)));
}
