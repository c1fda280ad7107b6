import { describe, expect, it } from 'vitest';
import { getRecipe } from '../../../src/systems/index.ts';
import { RemoteRetriever } from '../../../src/lab/corpus/retrieval/start-retrieval.ts';
import { messageOf } from '../../../src/base/errors.ts';
import type { RetrievalApi } from '../../../src/lab/contract/retrieval.ts';
import { startWorker } from '../../../src/lab/rpc/worker.ts';
import { inProcessWorker, QueueLocks } from '../rpc/in-process.ts';
import { reportUnknown } from '../../../src/lab/ask/host.ts';

const chosen = { recipe: getRecipe('search'), overrides: {} };
const QUESTION = 'Who directed Loud Harbor?';

type Ask = RemoteRetriever['unknownNames'];

/** What was told, once it is over; a test that waits for ever fails by its time limit. */
async function told(ask: Ask, signal = new AbortController().signal): Promise<string[][]> {
  const all: string[][] = [];
  await reportUnknown(QUESTION, { unknownNames: ask }, chosen, signal, (names) => all.push(names));
  return all;
}

describe('names that nothing mentions', () => {
  it('are reported; an empty list is not', async () => {
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
  let stopped: unknown = null;
  const host: Pick<RetrievalApi, 'search' | 'unknownNames'> = {
    search: () => Promise.reject(new Error('nothing is searched here')),
    unknownNames: (key, _question, _sources, signal) =>
      new Promise((_, reject) =>
        signal?.addEventListener('abort', () => {
          stopped = `${key}: ${messageOf(signal.reason)}`;
          reject(new Error('aborted'));
        }),
      ),
  };
  const locks = new QueueLocks();
  const { api, terminate } = startWorker<typeof host>({
    name: 'retrieval',
    locks,
    onLost: () => undefined,
    create: (life) => inProcessWorker(host, life, locks).worker,
  });
  const abort = new AbortController();
  const retriever = new RemoteRetriever(api, 'key');
  const asked = retriever.unknownNames(QUESTION, ['local'], abort.signal);
  abort.abort(new Error('stopped by the user'));
  await expect(asked).rejects.toThrow('stopped by the user');
  await expect.poll(() => stopped).toBe('key: stopped by the user');
  terminate();
});
