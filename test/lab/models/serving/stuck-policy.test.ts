import { readFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { FromPolicy } from '../../../../src/policy/serving/messages.ts';
import { PATIENCE } from '../../../../src/policy/watchdog.ts';
import { loadTokenizer } from '../../../../src/policy/open/load.ts';
import { memoryFiles } from '../../../../src/policy/checkpoint/checkpoint-files.ts';
import { describeFailure } from '../../../../src/lab/contract/failures.ts';
import { PartTracker } from '../../../../src/lab/workers/part-tracker.ts';
import { PolicyLoader } from '../../../../src/lab/models/serving/policy-loader.ts';
import type { PolicyWorkerApi } from '../../../../src/lab/contract/policy.ts';
import type { Locks, WorkerLike } from '../../../../src/lab/rpc/life.ts';
import { inProcessWorker } from '../../rpc/in-process.ts';

const fixture = new URL('../../../fixtures/qwen3-tiny/', import.meta.url);
const INFO = { id: 'tiny', revision: 'x', parameters: 1, maxContext: 64, dtype: 'f32' } as const;
const plan = { maxTokens: 4, stopIds: [], sampling: { temperature: 1, topK: 0, topP: 1 } };

/** Every lock is granted to its first holder, who keeps it: no worker of this file dies by itself. */
const held = new Set<string>();
const locks: Locks = {
  request: async (name, granted) => {
    if (held.has(name)) return new Promise(() => undefined);
    held.add(name);
    return granted();
  },
};

const endings: (() => void)[] = [];
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  for (const end of endings.splice(0)) end();
});

/** Workers that load and then say nothing more, as one whose GPU hangs. */
function hangingWorkers() {
  const terminated: string[] = [];
  const started: string[] = [];
  const policy = (life: string): WorkerLike => {
    started.push(life);
    const api: PolicyWorkerApi = {
      load: async (_checkpoint, device, port) => {
        endings.push(() => port.close());
        const ready: FromPolicy = { type: 'ready', info: { ...INFO, device }, adapts: false };
        port.postMessage(ready);
      },
      train: async () => undefined,
      agreement: () => Promise.reject(new Error('it compares nothing')),
      measure: () => Promise.reject(new Error('it measures nothing')),
    };
    const { worker, close } = inProcessWorker(api, life, locks);
    endings.push(close);
    // It continues hanging, as a thread in a GPU driver does.
    return { ...worker, terminate: () => terminated.push(life) };
  };
  return { policy, started, terminated };
}

test('an engine that hangs is ended with what to do next, and can be loaded again', async () => {
  vi.stubGlobal('navigator', { hardwareConcurrency: 2 });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const { policy, started, terminated } = hangingWorkers();
  const tokenizerJson = await readFile(new URL('tokenizer.json', fixture));
  const tokenizer = await loadTokenizer(memoryFiles(new Map([['tokenizer.json', tokenizerJson]])));
  const failures: unknown[] = [];
  let ready = 0;
  const never = (): never => {
    throw new Error('this test starts policy workers only');
  };
  const loader = new PolicyLoader({
    workers: { policy, retrieval: never, webllm: never, locks },
    tracker: new PartTracker(() => undefined),
    checkpoint: () => ({
      get: () => Promise.resolve({ id: 'tiny', files: {} }),
      reader: () => Promise.resolve({ tokenizer }),
      hold: () => Promise.resolve(() => undefined),
    }),
    onSampled: () => undefined,
    onReady: () => ready++,
    onFailed: (error) => failures.push(error),
  });
  loader.want({ kind: 'built-in' }, 'wasm');
  loader.load();
  const opened = await loader.loading!;
  const session = await opened.policy.open(1);
  const outcome = session.generate(plan).catch(String);
  await vi.advanceTimersByTimeAsync(PATIENCE.compiling / 2);
  expect(failures).toEqual([]);
  await vi.advanceTimersByTimeAsync(PATIENCE.compiling);
  expect(await outcome).toMatch(/policy worker was lost: it made no progress for 15 minutes/);
  expect(failures).toHaveLength(1);
  const { kind, message } = describeFailure(failures[0]);
  expect(kind).toBe('lost');
  expect(message).toMatch(/compiling kernels.*choose the CPU.*restart it, then run again\.$/);
  expect(terminated).toEqual(started);

  loader.load();
  await loader.loading;
  expect(ready).toBe(2);
  expect(started.length).toBe(2 * terminated.length);
});
