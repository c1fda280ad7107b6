import { describe, expect, test } from 'vitest';
import {
  describeEncoder,
  describeReranker,
  isSentenceTransformer,
  withManifest,
  type ModelFolder,
} from '../../../src/retrieval/encoder/sentence-transformers.ts';
import { TextTemplate } from '../../../src/retrieval/encoder/template.ts';
import { openTokenizer } from '../../../src/retrieval/encoder/tokens.ts';
import { bertTokenizer } from './fake-ort.ts';

type Files = Record<string, object | null>;

const ENCODER: Files = {
  'modules.json': [
    { path: '', type: 'sentence_transformers.models.Transformer' },
    { path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
  ],
  '1_Pooling/config.json': { pooling_mode: 'mean', embedding_dimension: 6 },
  'config.json': { model_type: 'bert', hidden_size: 8 },
  'model.onnx': {},
};

/** A folder from memory; null takes a file away. */
const folder = (files: Files, name = 'some-model'): ModelFolder => {
  const all = { ...ENCODER, ...files };
  return {
    name,
    files: Object.keys(all).filter((file) => all[file] !== null),
    read: async (file) => new TextEncoder().encode(JSON.stringify(all[file])),
  };
};
const encoder = (files: Files = {}, name?: string, wanted?: string) =>
  describeEncoder(folder(files, name), wanted);
const reranker = (files: Files = {}, wanted?: string) => describeReranker(folder(files), wanted);

// SHA-256 of "{}", which stands for the model.
const HASH = '44136fa355b3';

describe('the manifest of a folder', () => {
  test('with nothing but what is needed', async () => {
    expect(await encoder()).toEqual({
      format: 'forage.encoder/1',
      id: `some-model@${HASH}`,
      model: 'model.onnx',
      tokenizer: 'tokenizer.json',
      maxTokens: 512,
      padId: 0,
      lowerCase: false,
      dimensions: 6,
      pooling: 'mean',
      normalize: false,
      queryPrefix: '',
      passagePrefix: '',
      specialTokens: true,
      layout: 'plain',
    });
    expect(await reranker()).toEqual({
      format: 'forage.reranker/1',
      id: `some-model@${HASH}`,
      model: 'model.onnx',
      tokenizer: 'tokenizer.json',
      maxTokens: 512,
      padId: 0,
      lowerCase: false,
      labels: 1,
    });
  });

  test.each([
    [{ embedding_dimension: 6, word_embedding_dimension: 7 }, 6],
    [{ word_embedding_dimension: 7 }, 7],
    [{}, 8],
  ])('dimensions: %o is %i', async (pooling, dimensions) => {
    const files = { '1_Pooling/config.json': { pooling_mode: 'mean', ...pooling } };
    expect((await encoder(files)).dimensions).toBe(dimensions);
  });

  test('scales vectors where a module does', async () => {
    const modules = [...(ENCODER['modules.json'] as object[]), { path: '2', type: 'x.Normalize' }];
    expect((await encoder({ 'modules.json': modules })).normalize).toBe(true);
  });

  test('modules need no path of packages', async () => {
    const modules = [
      { path: '', type: 'Transformer' },
      { path: 'p', type: 'Pooling' },
    ];
    const files = { 'modules.json': modules, 'p/config.json': { pooling_mode: 'cls' } };
    expect((await encoder(files)).pooling).toBe('cls');
  });

  test('the model with no loss of precision, or the one that is wanted', async () => {
    const all = {
      'model.onnx': null,
      'onnx/model_quantized.onnx': {},
      'onnx/other.onnx': {},
    };
    expect((await encoder(all)).model).toBe('onnx/model_quantized.onnx');
    const half = { ...all, 'onnx/model_fp16.onnx': {} };
    expect((await encoder(half)).model).toBe('onnx/model_fp16.onnx');
    const single = { ...half, 'model.onnx': {} };
    expect((await encoder(single)).model).toBe('model.onnx');
    const both = { ...single, 'onnx/model.onnx': {} };
    expect((await encoder(both)).model).toBe('onnx/model.onnx');
    expect((await encoder(both, 'm', 'onnx/other.onnx')).model).toBe('onnx/other.onnx');
    expect((await reranker(both, 'onnx/other.onnx')).model).toBe('onnx/other.onnx');
  });

  test.each([
    [{}, 512],
    [{ 'config.json': { max_position_embeddings: 300 } }, 300],
    [{ 'sentence_bert_config.json': { max_seq_length: 100 } }, 100],
    [{ 'tokenizer_config.json': { model_max_length: 200 } }, 200],
    [{ 'tokenizer_config.json': { model_max_length: 1e30 } }, 512],
    [
      {
        'sentence_bert_config.json': { max_seq_length: 100 },
        'tokenizer_config.json': { model_max_length: 90 },
      },
      90,
    ],
    [{ 'sentence_bert_config.json': {}, 'tokenizer_config.json': { model_max_length: null } }, 512],
    // Positions of this family begin after the id of padding.
    [{ 'config.json': { model_type: 'xlm-roberta', max_position_embeddings: 514 } }, 512],
    [{ 'config.json': { model_type: 'camembert', max_position_embeddings: 514 } }, 512],
    [{ 'config.json': { model_type: 'mpnet', max_position_embeddings: 514 } }, 512],
    [
      { 'config.json': { model_type: 'roberta', max_position_embeddings: 514, pad_token_id: 0 } },
      513,
    ],
    [{ 'config.json': { model_type: 'bert', max_position_embeddings: 514, pad_token_id: 1 } }, 514],
    [{ 'config.json': {} }, 512],
  ])('the longest text: %j', async (files: Files, maxTokens) => {
    const sized = { 'config.json': { hidden_size: 8 }, ...files };
    expect((await encoder(sized)).maxTokens).toBe(maxTokens);
  });

  test('padding and case', async () => {
    const files = {
      'config.json': { model_type: 'bert', pad_token_id: 3 },
      'sentence_bert_config.json': { do_lower_case: true },
    };
    expect(await encoder(files)).toMatchObject({ padId: 3, lowerCase: true });
  });

  test.each([
    [{}, 1],
    [{ num_labels: 2 }, 2],
    [{ num_labels: 1, id2label: { 0: 'a', 1: 'b' } }, 1],
    [{ id2label: { 0: 'a', 1: 'b' } }, 2],
    [{ id2label: { 0: 'a' } }, 1],
  ])('labels of a cross-encoder: %j', async (config, labels) => {
    expect((await reranker({ 'config.json': config })).labels).toBe(labels);
  });
});

describe('prompts', () => {
  const prefixes = async (config: object | null, name?: string) => {
    const { queryPrefix, passagePrefix } = await encoder(
      { 'config_sentence_transformers.json': config },
      name,
    );
    return [queryPrefix, passagePrefix];
  };
  test.each([
    [{ query: 'q', document: 'd' }, ['q', 'd']],
    [{ search_query: 'q', passage: 'p' }, ['q', 'p']],
    [{ s2p_query: 'q', corpus: 'c' }, ['q', 'c']],
    [{ web_search_query: 'q', search_document: 's' }, ['q', 's']],
    // The first of these names that is there, though it be empty.
    [{ search_query: 'b', query: 'a', passage: 'd', document: 'c' }, ['a', 'c']],
    [{ search_query: 'b', query: '', passage: 'd', document: '' }, ['', '']],
    [{ other: 'x' }, ['', '']],
    [{}, ['', '']],
  ])('%j', async (prompts, expected) => {
    expect(await prefixes({ prompts })).toEqual(expected);
  });

  test('the standard one stands in for a side without one', async () => {
    const prompts = { query: 'q', any: 'x' };
    expect(await prefixes({ prompts, default_prompt_name: 'any' })).toEqual(['q', 'x']);
    expect(await prefixes({ prompts: { any: 'x' }, default_prompt_name: 'any' })).toEqual([
      'x',
      'x',
    ]);
    expect(await prefixes({ prompts, default_prompt_name: 'lost' })).toEqual(['q', '']);
    expect(await prefixes({ prompts: { '': 'x' }, default_prompt_name: null })).toEqual(['', '']);
  });

  const BGE = 'Represent this sentence for searching relevant passages: ';
  test.each([
    ['e5-base-v2', ['query: ', 'passage: ']],
    ['E5_large', ['query: ', 'passage: ']],
    ['intfloat-e5-small', ['query: ', 'passage: ']],
    ['multilingual_e5-base', ['query: ', 'passage: ']],
    ['some/e5-base', ['query: ', 'passage: ']],
    ['type5-base', ['', '']],
    ['e55-base', ['', '']],
    ['bge-small-en', [BGE, '']],
    ['BGE-base-en-v1.5', [BGE, '']],
    ['x-bge-large-en', [BGE, '']],
    ['x_bge-large-en', [BGE, '']],
    ['bge-m3', ['', '']],
    ['abge-small-en', ['', '']],
  ])('of the family of %s', async (name, expected) => {
    expect(await prefixes(null, name)).toEqual(expected);
    expect(await prefixes({ prompts: { query: '', document: '' } }, name)).toEqual(expected);
  });

  test('of its own come before those of its family', async () => {
    expect(await prefixes({ prompts: { query: 'q' } }, 'e5-base')).toEqual(['q', '']);
    expect(await prefixes({ prompts: { passage: 'p' } }, 'e5-base')).toEqual(['', 'p']);
  });

  test('that are not pooled are refused where there are any', async () => {
    const pooling = { pooling_mode: 'mean', include_prompt: false };
    const files = (prompts: object) => ({
      '1_Pooling/config.json': pooling,
      'config_sentence_transformers.json': { prompts },
    });
    expect((await encoder(files({}))).queryPrefix).toBe('');
    for (const prompts of [{ query: 'q' }, { passage: 'p' }])
      await expect(encoder(files(prompts))).rejects.toThrow(
        '1_Pooling/config.json: pooling without the prompt is not supported',
      );
  });
});

describe('a folder that cannot be used', () => {
  const modules = (...types: string[]) => ({
    'modules.json': types.map((type) => ({ path: type, type: `models.${type}` })),
  });
  test.each([
    [{ 'modules.json': null }, 'no modules.json in some-model'],
    [{ 'modules.json': [] }, 'modules.json: '],
    [modules('Transformer', 'Dense', 'Pooling'), 'a model of Transformer, Dense, Pooling is not'],
    [modules('Pooling', 'Transformer'), 'a model of Pooling, Transformer is not supported'],
    [modules('Transformer', 'Normalize'), 'modules.json: names no Pooling'],
    [{ '1_Pooling/config.json': null }, 'no 1_Pooling/config.json in some-model'],
    [{ 'config.json': { hidden_size: 0 } }, 'config.json: hidden_size'],
    [{ 'model.onnx': null }, 'no onnx/model.onnx or model.onnx in some-model: export'],
    [{ 'model.onnx_data': {} }, 'model.onnx: weights in a second file are not supported'],
    [{ 'model.onnx.data': {} }, 'model.onnx: weights in a second file are not supported'],
    [
      { 'config.json': {}, '1_Pooling/config.json': { pooling_mode: 'mean' } },
      '1_Pooling/config.json: does not say how many dimensions a vector has',
    ],
    [
      { '1_Pooling/config.json': { pooling_mode: 'max', pooling_mode_mean_tokens: 3 } },
      '1_Pooling/config.json: pooling_mode_mean_tokens',
    ],
    [{ 'tokenizer_config.json': { model_max_length: 0 } }, 'tokenizer_config.json: '],
    [{ 'sentence_bert_config.json': { max_seq_length: -1 } }, 'sentence_bert_config.json: '],
  ])('%j: %s', async (files: Files, message) => {
    await expect(encoder(files)).rejects.toThrow(message);
  });

  test('without the model that is wanted; with too many labels', async () => {
    await expect(encoder({}, 'm', 'onnx/model.onnx')).rejects.toThrow(
      'no onnx/model.onnx in m: export the model to ONNX first',
    );
    await expect(reranker({ 'config.json': { num_labels: 3 } })).rejects.toThrow(
      'config.json: 3 labels; a cross-encoder that orders passages has one, or two',
    );
  });
});

describe('a folder is read with a manifest', () => {
  const json = async (bytes: Promise<Uint8Array>): Promise<unknown> =>
    JSON.parse(new TextDecoder().decode(await bytes));

  test('that is made from its files', async () => {
    const read = await withManifest(folder({}), 'encoder');
    expect(await json(read('encoder.json'))).toMatchObject({ dimensions: 6 });
    expect(await json(read('config.json'))).toMatchObject({ hidden_size: 8 });
    const cross = await withManifest(folder({}), 'reranker');
    expect(await json(cross('reranker.json'))).toMatchObject({ labels: 1 });
    expect(await json(cross('config.json'))).toMatchObject({ hidden_size: 8 });
  });

  test('or with its own, as it stands there', async () => {
    const read = await withManifest(folder({ 'encoder.json': { own: 1 } }), 'encoder');
    expect(await json(read('encoder.json'))).toEqual({ own: 1 });
    const cross = await withManifest(folder({ 'reranker.json': { own: 2 } }), 'reranker');
    expect(await json(cross('reranker.json'))).toEqual({ own: 2 });
  });

  test('and is told by its list of modules', () => {
    expect(isSentenceTransformer({ files: ['a', 'modules.json'] })).toBe(true);
    expect(isSentenceTransformer({ files: ['encoder.json'] })).toBe(false);
  });
});

describe('the template of a tokenizer', () => {
  const template = (post: object | null) =>
    new TextTemplate(openTokenizer({ ...bertTokenizer(), post_processor: post }, 't.json'));
  const special = (id: string, type_id = 0) => ({ SpecialToken: { id, type_id } });
  const text = (id: string, type_id = 0) => ({ Sequence: { id, type_id } });
  const bert = (single: object[], pair: object[] = single) => ({
    ...(bertTokenizer()['post_processor'] as object),
    single,
    pair,
  });
  // a b c d e are 8 to 12.
  test('without special tokens', () => {
    const bare = template(bert([text('A')], [text('A'), text('B')]));
    expect(bare.single('b c', 9)).toEqual({ ids: [9, 10], types: [0, 0] });
    expect(bare.single('b c d', 2)).toEqual({ ids: [9, 10], types: [0, 0] });
    expect(bare.pair('b c', 'd', 9)).toEqual({ ids: [9, 10, 11], types: [0, 0, 0] });
  });

  test('with several before, between and after, and segments of its own', () => {
    const many = template(
      bert(
        [special('[CLS]', 1), special('[MASK]'), text('A', 1), special('[SEP]')],
        [
          special('[MASK]', 1),
          text('A', 0),
          special('[SEP]', 0),
          special('[CLS]', 1),
          text('B', 1),
          special('[SEP]', 1),
          special('[MASK]', 0),
        ],
      ),
    );
    expect(many.single('b c', 9)).toEqual({ ids: [2, 4, 9, 10, 3], types: [1, 0, 1, 1, 0] });
    expect(many.single('b c', 4)).toEqual({ ids: [2, 4, 9, 3], types: [1, 0, 1, 0] });
    expect(many.single('b c', 2)).toEqual({ ids: [2, 4, 3], types: [1, 0, 0] });
    expect(many.pair('b c', 'd', 9)).toEqual({
      ids: [4, 9, 10, 3, 2, 11, 3, 4],
      types: [1, 0, 0, 0, 1, 1, 1, 0],
    });
    // Room for two after the five special ones.
    expect(many.pair('b c', 'd e', 7)).toEqual({
      ids: [4, 9, 3, 2, 11, 3, 4],
      types: [1, 0, 0, 1, 1, 1, 0],
    });
    expect(many.pair('b', 'c', 1)).toEqual({ ids: [4, 3, 2, 3, 4], types: [1, 0, 1, 1, 0] });
  });

  test('that leaves a text out is not known', () => {
    const said = 'the tokenizer writes special tokens in an unknown way';
    const first = template(bert([special('[CLS]')], [text('B'), special('[SEP]')]));
    expect(() => first.single('b', 9)).toThrow(said);
    expect(() => first.pair('b', 'c', 9)).toThrow(said);
    const second = template(bert([text('A')], [text('A'), special('[SEP]')]));
    expect(() => second.pair('b', 'c', 9)).toThrow(said);
    // The second text is looked for after the first.
    const turned = template(bert([text('A')], [text('B'), text('A')]));
    expect(() => turned.pair('b', 'c', 9)).toThrow(said);
  });

  test('the ids of a text alone', () => {
    expect(template(null).ids('e d c')).toEqual([12, 11, 10]);
  });
});

test.each([null, 'text', 3])('%j is no tokenizer', (json) => {
  expect(() => openTokenizer(json, 'x/tokenizer.json')).toThrow(
    'x/tokenizer.json: not a tokenizer',
  );
});

test('a tokenizer without a token for what is unknown says so', () => {
  const { model, ...rest } = bertTokenizer();
  const tokenizer = openTokenizer(
    { ...rest, model: { ...(model as object), unk_token: '[NONE]' } },
    't.json',
  );
  expect(() => new TextTemplate(tokenizer).ids('日')).toThrow(/token/);
});
