import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AskHost } from '../../../src/lab/ask/host.ts';
import type { AskMessage } from '../../../src/lab/contract/ask.ts';
import type { Need } from '../../../src/lab/contract/progress.ts';
import { DEFAULT_SETTINGS, type RunRequest } from '../../../src/lab/contract/settings.ts';
import { BUILT_IN_SETUP, type Setup } from '../../../src/records/setup.ts';
import type { CheckpointStore } from '../../../src/lab/models/checkpoints/store.ts';
import type { WorkerFactory } from '../../../src/lab/workers/workers.ts';
import { inProcessWorker, QueueLocks, type InProcessWorker } from '../rpc/in-process.ts';

/** What the host starts and when; its workers begin, and load for ever. */

const forever = () => new Promise<never>(() => undefined);

const open: InProcessWorker[] = [];
beforeEach(() => vi.stubGlobal('fetch', forever));
afterEach(() => {
  vi.unstubAllGlobals();
  for (const worker of open.splice(0)) worker.close();
});

const askHost = async () => {
  const started: string[] = [];
  const locks = new QueueLocks();
  const start =
    (name: string, host: object) =>
    (life: string): InProcessWorker['worker'] => {
      started.push(name);
      const worker = inProcessWorker(host, life, locks);
      open.push(worker);
      return worker.worker;
    };
  const workers: WorkerFactory = {
    policy: start('policy', { load: forever }),
    retrieval: start('retrieval', {
      listen: () => undefined,
      start: () => undefined,
      loadWorld: forever,
    }),
    webllm: () => {
      throw new Error('no WebLLM model was chosen');
    },
    locks,
  };
  const made = new AskHost(
    {
      policy: '/policy/',
      files: {
        world: '/world/',
        encoder: '/encoder/',
        ortWasm: '/ort.wasm',
      },
    },
    workers,
    {
      checkpoints: {} as CheckpointStore,
      imported: () => Promise.resolve([]),
      policies: {
        runs: {
          run: (id) => Promise.reject(new Error(`There is no run ${id}.`)),
          adapterSteps: () => Promise.resolve([]),
          adapterAt: () => Promise.reject(new Error('no snapshot')),
        },
        facts: () => Promise.resolve({ id: 'none', revision: '' }) as Promise<never>,
      },
    },
  );
  const messages: AskMessage[] = [];
  await made.listen((some) => messages.push(...some));
  await made.start('wasm', BUILT_IN_SETUP);
  return {
    made,
    messages,
    /** Which workers were started. */
    names: () => [...new Set(started)].toSorted(),
    count: () => started.length,
  };
};

/** Lets everything happen that waits for no answer. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

const elsewhere: Setup = {
  ...BUILT_IN_SETUP,
  policy: { kind: 'endpoint', id: 'none' },
  questions: { kind: 'collections', ids: ['a'] },
};

const request: RunRequest = {
  runId: 'r',
  asked: { kind: 'typed', text: 'Who?' },
  settings: { ...DEFAULT_SETTINGS, device: 'wasm' },
  setup: BUILT_IN_SETUP,
};

it('loads nothing before it is needed, whatever is chosen', async () => {
  const { made, messages, names } = await askHost();
  await made.use(elsewhere);
  await made.use(BUILT_IN_SETUP);
  await made.retry();
  await settle();
  expect([names(), messages]).toEqual([[], []]);
});

it.each<[Need, string]>([
  ['sources', 'retrieval'],
  ['policy', 'policy'],
])('loads of what is needed that alone: %s', async (need, worker) => {
  const { made, names, count } = await askHost();
  await made.need([need]);
  await settle();
  expect(names()).toEqual([worker]);
  // What is on its way is not begun again.
  const before = count();
  await made.need([need]);
  await made.retry();
  await settle();
  expect(count()).toBe(before);
});

it('loads for a search or a question of the list what they need', async () => {
  for (const ask of [
    (made: AskHost) => made.search('local', 'x', 1),
    (made: AskHost) => made.question('q'),
    (made: AskHost) => made.sourcesFor(BUILT_IN_SETUP),
    (made: AskHost) => made.encoders.list(),
  ]) {
    const { made, names } = await askHost();
    void ask(made);
    await settle();
    expect(names()).toEqual(['retrieval']);
  }
});

it('spells ids of tokens by the policy that is chosen, which it loads', async () => {
  const { made, names } = await askHost();
  void made.spell('baize-mini', [1]);
  await settle();
  expect(names()).toEqual(['policy']);
});

it('spells nothing where the policy cannot be loaded, and fails nobody for it', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new Error('no server')));
  const { made, count } = await askHost();
  expect(await made.spell('baize-mini', [1])).toBeNull();
  // Not loaded again with every question: that is for the user to ask.
  const before = count();
  expect(await made.spell('baize-mini', [1])).toBeNull();
  expect(count()).toBe(before);
});

it('loads everything for a run', async () => {
  const { made, names } = await askHost();
  const run = made.run(request);
  await settle();
  expect(names()).toEqual(['policy', 'retrieval']);
  await made.cancel();
  await run;
});

it('loads what was chosen instead where that part is needed', async () => {
  const { made, messages } = await askHost();
  await made.need(['policy']);
  await made.use(elsewhere);
  await settle();
  const parts = messages.flatMap((message) => (message.type === 'parts' ? [message.parts] : []));
  // A server that nobody named: its failure is told, and nothing is said of the sources.
  expect(parts.at(-1)?.policy.status).toBe('failed');
  expect(parts.at(-1)?.world.status).toBe('waiting');
});

it('what could not be loaded is tried again once a checkpoint is held in something else', async () => {
  const { made, messages } = await askHost();
  const failures = () =>
    messages.filter((one) => one.type === 'parts' && one.parts.policy.status === 'failed').length;
  await made.use(elsewhere);
  await made.need(['policy']);
  await settle();
  const before = failures();
  expect(before).toBeGreaterThan(0);
  await made.changed('a');
  await settle();
  expect(failures()).toBeGreaterThan(before);
});
