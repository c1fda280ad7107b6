import { describe, expect, it } from 'vitest';
import { getRecipe } from '../../../src/recipes/index.ts';
import { RemoteRetriever } from '../../../src/lab/corpus/retrieval/remote-retriever.ts';
import type { RetrievalHostApi } from '../../../src/lab/ask/retrieval-api.ts';
import { StoppableCalls } from '../../../src/lab/ask/stoppable-calls.ts';
import type { SupervisedWorker } from '../../../src/lab/workers/supervised.ts';
import { tellUnknown } from '../../../src/lab/ask/tell-unknown.ts';

const chosen = { recipe: getRecipe('search'), overrides: {} };
const QUESTION = 'Who directed Loud Harbor?';

type Ask = RemoteRetriever['unknownNames'];

/** What was told, once it is over; a test that waits for ever fails by its time limit. */
async function told(ask: Ask, signal = new AbortController().signal): Promise<string[][]> {
  const all: string[][] = [];
  await tellUnknown(QUESTION, { unknownNames: ask }, chosen, signal, (names) => all.push(names));
  return all;
}

describe('names that nothing mentions', () => {
  it('are told; none is not', async () => {
    expect(await told(async () => ['Loud Harbor'])).toEqual([['Loud Harbor']]);
    expect(await told(async () => [])).toEqual([]);
  });

  it('do not hold up a run that is stopped, though the worker never answers', async () => {
    const abort = new AbortController();
    const over = told(() => new Promise<never>(() => undefined), abort.signal);
    abort.abort();
    expect(await over).toEqual([]);
    expect(await told(() => new Promise<never>(() => undefined), abort.signal)).toEqual([]);
  });

  it('fail no run where they cannot be looked up', async () => {
    expect(await told(() => Promise.reject(new Error('the shard is gone')))).toEqual([]);
  });
});

it('a look-up is stopped in the worker, too', async () => {
  const calls = new StoppableCalls();
  let stopped = false;
  const api: Pick<RetrievalHostApi, 'unknownNames' | 'abort'> = {
    abort: (call) => calls.abort(call),
    unknownNames: (call) =>
      calls.run(
        call,
        (signal) =>
          new Promise((_, reject) =>
            signal.addEventListener('abort', () => {
              stopped = true;
              reject(new Error('aborted'));
            }),
          ),
      ),
  };
  const host = {
    call: async (use: (remote: typeof api) => unknown) => use(api),
    terminate: () => undefined,
  } as unknown as SupervisedWorker<RetrievalHostApi>;
  const abort = new AbortController();
  const retriever = new RemoteRetriever(host, 'key');
  const asked = retriever.unknownNames(QUESTION, ['local'], abort.signal);
  abort.abort(new Error('stopped by the user'));
  await expect(asked).rejects.toThrow('stopped by the user');
  expect(stopped).toBe(true);
});
