import { afterEach, expect, it } from 'vitest';
import type { RetrieverSpec } from '../../../src/lab/contract/retrieval.ts';
import { SourceLoader, type SourceRequest } from '../../../src/lab/ask/source-loader.ts';
import { PartTracker } from '../../../src/lab/workers/part-tracker.ts';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import { inProcessWorker, QueueLocks, type InProcessWorker } from '../rpc/in-process.ts';

/** What a training or an evaluation on the page works with: the sources and questions of its own setup. */

const workers: InProcessWorker[] = [];
afterEach(() => {
  for (const worker of workers.splice(0)) worker.close();
});

const sourceLoader = () => {
  const locks = new QueueLocks();
  const opened: RetrieverSpec[] = [];
  const host = {
    listen: () => undefined,
    start: () => undefined,
    loadWorld: () => ({
      seed: 7,
      questions: [{ id: 'built-in', text: 'Who?', answers: ['x'], supporting: [], split: 'train' }],
      facts: {},
    }),
    openRetriever: (spec: RetrieverSpec) => {
      opened.push(spec);
      return { key: 'k', note: '', local: [], memory: null };
    },
  };
  const never = (): never => {
    throw new Error('not asked for');
  };
  const made = new SourceLoader({
    workers: {
      retrieval: (life) => {
        const worker = inProcessWorker(host, life, locks);
        workers.push(worker);
        return worker.worker;
      },
      policy: never,
      webllm: never,
      locks,
    },
    files: {} as never,
    tracker: new PartTracker(() => undefined),
    imported: (ids) =>
      Promise.resolve(
        ['train', 'dev'].map((split) => ({
          id: `${ids.join()}-${split}`,
          text: 'Who is the mayor?',
          answers: ['Ada'],
          supporting: [],
          split,
        })),
      ) as never,
    send: () => undefined,
    onLost: never,
  });
  return { made, opened };
};

const own: SourceRequest = {
  ...BUILT_IN_SETUP,
  local: { kind: 'collections', ids: ['a'], method: 'flat', encoder: 'built-in', reranker: null },
  questions: { kind: 'collections', ids: ['a'] },
};

it('what works with collections gets their questions as their files split them, and searches their passages', async () => {
  const { made, opened } = sourceLoader();
  made.want(BUILT_IN_SETUP);
  const given = await made.openFor(own);
  expect(given.questions.map(({ id, split }) => [id, split])).toEqual([
    ['a-train', 'train'],
    ['a-dev', 'dev'],
  ]);
  expect(given).toMatchObject({ seed: 0, split: { by: 'field', train: 1, dev: 1 } });
  expect(opened).toContainEqual({ local: own.local, web: own.web });
});

it('what works with the built-in world gets its questions, whatever the page has chosen', async () => {
  const { made, opened } = sourceLoader();
  made.want(own);
  const given = await made.openFor(BUILT_IN_SETUP);
  expect(given.questions.map(({ id }) => id)).toEqual(['built-in']);
  expect(given.seed).toBe(7);
  expect(opened).toContainEqual({ local: BUILT_IN_SETUP.local, web: BUILT_IN_SETUP.web });
});
