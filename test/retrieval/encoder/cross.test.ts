import { describe, expect, test } from 'vitest';
import type { Passage } from '../../../src/records/records.ts';
import { OnnxReranker } from '../../../src/retrieval/encoder/reranker.ts';
import { bertTokenizer, fakeOrt, folder, shown, type Inputs } from './fake-ort.ts';

const passage = (id: string, title: string, text: string): Passage => ({
  id,
  title,
  text,
  sentences: [text],
});

describe('a cross-encoder', () => {
  const reranker = {
    format: 'forage.reranker/1',
    id: 'cross',
    model: 'model.onnx',
    tokenizer: 'tokenizer.json',
    maxTokens: 8,
  };
  const cross = (change: object, compute: Parameters<typeof fakeOrt>[0]['compute']) => {
    const fake = fakeOrt({
      inputs: ['input_ids', 'attention_mask', 'token_type_ids'],
      compute,
    });
    const at = folder({
      'reranker.json': { ...reranker, ...change },
      'tokenizer.json': bertTokenizer(),
    });
    return { ...fake, open: () => OnnxReranker.open(at, fake.ort) };
  };

  test('reads both texts, each in its segment, in lower case where it says so', async () => {
    const seen: Inputs[] = [];
    const { open, created, released } = cross({ padId: 5, lowerCase: true }, (inputs) => {
      seen.push(inputs);
      return Float32Array.from(shown(inputs), (ids) => ids.length);
    });
    const opened = await open();
    expect(opened.id).toBe('cross');
    expect(
      await opened.scorePairs([
        ['A', 'B C'],
        ['a', 'b'],
      ]),
    ).toEqual([6, 5]);
    expect(seen).toEqual([
      {
        rows: 2,
        length: 6,
        of: {
          input_ids: [2, 8, 3, 9, 3, 5, 2, 8, 3, 9, 10, 3],
          attention_mask: [1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1],
          token_type_ids: [0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1],
        },
      },
    ]);
    expect(created).toMatchObject([[expect.anything(), { executionProviders: ['wasm'] }]]);
    await opened.dispose();
    expect(released()).toBe(1);
  });

  test('a passage is its title and its text', async () => {
    const seen: number[][] = [];
    const { open } = cross({}, (inputs) => {
      seen.push(...shown(inputs));
      return Float32Array.of(1);
    });
    await (await open()).score('a', [passage('1', 'b', 'c')]);
    expect(seen).toEqual([[2, 8, 3, 9, 10, 3]]);
  });

  test('of two logits the score is the second less the first', async () => {
    const { open } = cross({ labels: 2 }, ({ rows }) =>
      Float32Array.from([1, 5, 7, 4]).slice(0, 2 * rows),
    );
    expect(
      await (
        await open()
      ).scorePairs([
        ['a', 'b'],
        ['a', 'c'],
      ]),
    ).toEqual([4, -3]);
    const { open: wrong } = cross({ labels: 2 }, () => Float32Array.of(1));
    await expect((await wrong()).scorePairs([['a', 'b']])).rejects.toThrow(
      'the reranker gave 1 logits for 1 pairs; its manifest says 2 a pair',
    );
  });

  test('scores are remembered by query and passage, 8,192 of them', async () => {
    let runs = 0;
    const { open } = cross({}, ({ rows }) => {
      runs += rows;
      return new Float32Array(rows).fill(runs);
    });
    const opened = await open();
    const [one, two] = [passage('1', 'b', 'c'), passage('2', 'b', 'd')];
    expect(await opened.score('a', [one])).toEqual([1]);
    expect(await opened.score('a', [two, one])).toEqual([2, 1]);
    expect(await opened.score('e', [one])).toEqual([3]);
    expect(await opened.score('a', [])).toEqual([]);
    const others = Array.from({ length: 8189 }, (_, i) => passage(`${i}`, 'b', `c ${i}`));
    await opened.score('a', others);
    expect(runs).toBe(3 + 8189);
    await opened.score('a', [one]);
    expect(runs).toBe(3 + 8189);
    // One more, and what was asked for longest ago is forgotten.
    await opened.score('f', [one]);
    await opened.score('a', [one]);
    expect(runs).toBe(4 + 8189);
    await opened.score('a', [two]);
    expect(runs).toBe(5 + 8189);
  });

  test('can be stopped, before and after its runs', async () => {
    const stop = new AbortController();
    const { open } = cross({}, ({ rows }) => {
      stop.abort(new Error('enough'));
      return new Float32Array(rows);
    });
    const opened = await open();
    await expect(opened.score('a', [passage('1', 'b', 'c')], stop.signal)).rejects.toThrow(
      'enough',
    );
    await expect(opened.scorePairs([], AbortSignal.abort(new Error('gone')))).rejects.toThrow(
      'gone',
    );
  });

  test('must have one label, or two', async () => {
    const { open } = cross({ labels: 3 }, () => Float32Array.of(1));
    await expect(open()).rejects.toThrow('reranker.json: labels');
  });
});
