import { expect, it } from 'vitest';
import { cachingRetriever } from '../../../src/handover/environment/caching-retriever.ts';
import type { Retrieval, Retriever } from '../../../src/retrieval/retriever.ts';

const passage = { id: 'p', title: 'P', text: 'p.', sentences: ['p.'] };

function counting(answer: (query: string, call: number) => Promise<Partial<Retrieval>>) {
  let calls = 0;
  const base: Retriever = {
    search: async (source, query) => ({
      query,
      source,
      hits: [{ passage, score: 1, source: 'web' }],
      latencyMs: 70,
      addedDelayMs: 0,
      ...(await answer(query, ++calls)),
    }),
  };
  let clock = 0;
  return { retriever: cachingRetriever(base, () => clock++), calls: () => calls };
}

it('asks once for one query of one source and one number of passages', async () => {
  const { retriever, calls } = counting(() => Promise.resolve({ requests: 3, bytes: 100 }));
  const [first, second] = await Promise.all([
    retriever.search('web', 'q', 2),
    retriever.search('web', 'q', 2),
  ]);
  expect(calls()).toBe(1);
  expect(first).toMatchObject({ latencyMs: 70, requests: 3, bytes: 100 });
  expect(second).toMatchObject({ requests: 0, bytes: 0, hits: first.hits });
  expect(second.latencyMs).toBeLessThan(70);
  first.hits.pop();
  expect((await retriever.search('web', 'q', 2)).hits).toHaveLength(1);
  for (const [source, query, k] of [
    ['local', 'q', 2],
    ['web', 'r', 2],
    ['web', 'q', 3],
  ] as const)
    await retriever.search(source, query, k);
  expect(calls()).toBe(4);
});

it('asks again for what failed, whole or in part', async () => {
  const { retriever, calls } = counting((query, call) => {
    if (query === 'none')
      return call === 1 ? Promise.reject(new Error('gone')) : Promise.resolve({});
    return Promise.resolve({ failures: [{ source: 'web', message: 'gone' }] });
  });
  await expect(retriever.search('both', 'none', 2)).rejects.toThrow('gone');
  expect((await retriever.search('both', 'none', 2)).hits).toHaveLength(1);
  await retriever.search('both', 'half', 2);
  await retriever.search('both', 'half', 2);
  expect(calls()).toBe(4);
});

it('leaves a rollout that was given up without ending the search of others', async () => {
  let answer = (): void => undefined;
  const { retriever, calls } = counting(
    () => new Promise((resolve) => (answer = () => resolve({}))),
  );
  const abort = new AbortController();
  const left = retriever.search('local', 'q', 2, abort.signal);
  const other = retriever.search('local', 'q', 2);
  abort.abort(new Error('given up'));
  answer();
  await expect(left).rejects.toThrow('given up');
  expect((await other).hits).toHaveLength(1);
  expect(calls()).toBe(1);
});
