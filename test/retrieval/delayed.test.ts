import { expect, test } from 'vitest';
import { withWebDelay } from '../../src/retrieval/delayed.ts';
import { retrieverByMethod, type Retriever } from '../../src/retrieval/retriever.ts';

/** Says by which method it was searched, and who of a batch did it. */
const source = (name: string): Retriever => ({
  search: () => Promise.resolve({ hits: [], latencyMs: 1, addedDelayMs: 0, name } as never),
  by: (method) => source(`${name} by ${method}`),
  join: () => ({ retriever: source(`${name}, joined`), leave: () => {} }),
});

test('delays the web alone, by any method and for each of a batch, and says how much of it was added', async () => {
  const delayed = withWebDelay(source('both'), 30);
  const joined = delayed.join?.().retriever;
  for (const [retriever, name] of [
    [delayed, 'both'],
    [retrieverByMethod(delayed, 'lexical'), 'both by lexical'],
    [joined, 'both, joined'],
  ] as const) {
    expect(await retriever?.search('local', 'q', 1)).toEqual({
      hits: [],
      latencyMs: 1,
      addedDelayMs: 0,
      name,
    });
    const web = await retriever?.search('web', 'q', 1);
    expect(web).toMatchObject({ addedDelayMs: 30, name });
    expect(web?.latencyMs).toBeGreaterThan(25);
  }
});

test('without a delay sources are as they are', () => {
  const plain = source('both');
  expect(withWebDelay(plain, 0)).toBe(plain);
});
