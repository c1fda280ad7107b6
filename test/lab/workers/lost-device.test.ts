import { readFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { describeFailure } from '../../../src/lab/contract/failures.ts';
import { PolicyLoader } from '../../../src/lab/models/serving/policy-loader.ts';
import { PartTracker } from '../../../src/lab/workers/part-tracker.ts';
import { memoryFiles } from '../../../src/policy/checkpoint/checkpoint-files.ts';
import { loadTokenizer } from '../../../src/policy/open/load.ts';
import { QueueLocks } from '../rpc/in-process.ts';
import { nodeGpu } from '../../policy/ops/support/swiftshader.ts';
import type { WorkerLike } from '../../../src/lab/rpc/life.ts';

/** The script of a policy worker on a real device that is taken away, and whoever started it. */

// It compiles slowly.
vi.setConfig({ testTimeout: 300_000 });

const SCRIPT = new URL('../../../workers/policy.ts', import.meta.url).pathname;
const fixture = new URL('../../fixtures/qwen3-tiny/', import.meta.url);
const FILES = ['config.json', 'model.safetensors', 'tokenizer.json'];

const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
  vi.unstubAllGlobals();
});

/** The adapter of this machine; what devices it gave. */
async function watchedGpu(devices: GPUDevice[]): Promise<GPU> {
  const gpu = await nodeGpu();
  const requestAdapter: GPU['requestAdapter'] = async (options) => {
    const adapter = await gpu.requestAdapter(options);
    if (!adapter) return null;
    const requestDevice = adapter.requestDevice.bind(adapter);
    Object.defineProperty(adapter, 'requestDevice', {
      value: async (wanted?: GPUDeviceDescriptor) => {
        const device = await requestDevice(wanted);
        devices.push(device);
        return device;
      },
    });
    return adapter;
  };
  return { requestAdapter } as Partial<GPU> as GPU;
}

/** Runs the script as a worker does: what it reports and nobody catches is an error of the worker for its owner. */
function workers(locks: QueueLocks) {
  let started = 0;
  return (life: string): WorkerLike => {
    const { port1, port2 } = new MessageChannel();
    const errors = new EventTarget();
    endings.push(() => {
      port1.close();
      port2.close();
    });
    vi.stubGlobal('self', Object.assign(new EventTarget(), { name: life }));
    vi.stubGlobal('postMessage', (message: unknown) => port2.postMessage(message));
    vi.stubGlobal('addEventListener', (type: 'message', listener: (event: Event) => void) => {
      port2.addEventListener(type, listener);
      port2.start();
    });
    vi.stubGlobal('reportError', ({ message }: Error) =>
      errors.dispatchEvent(Object.assign(new Event('error'), { message })),
    );
    vi.stubGlobal('navigator', Object.assign(navigator, { locks }));
    // Each has its own state: the file is read once for every one.
    void import(/* @vite-ignore */ `${SCRIPT}?life=${++started}`);
    port1.start();
    const listenersOf = (type: string): EventTarget => (type === 'error' ? errors : port1);
    return {
      postMessage: (message, transfer) => port1.postMessage(message, transfer ?? []),
      addEventListener: (type, listener) => listenersOf(type).addEventListener(type, listener),
      removeEventListener: (type, listener) =>
        listenersOf(type).removeEventListener(type, listener),
      terminate: () => port2.close(),
    };
  };
}

test('a device that is taken away in the middle ends what is under way and says so; loaded again, another one is asked', async () => {
  const devices: GPUDevice[] = [];
  vi.stubGlobal('navigator', { hardwareConcurrency: 1, gpu: await watchedGpu(devices) });
  const files = Object.fromEntries(
    await Promise.all(
      FILES.map(async (name) => [name, await readFile(new URL(name, fixture))] as const),
    ),
  );
  const tokenizer = await loadTokenizer(memoryFiles(new Map(Object.entries(files))));
  const locks = new QueueLocks();
  const failures: unknown[] = [];
  const none = (): never => {
    throw new Error('this test starts policy workers only');
  };
  const loader = new PolicyLoader({
    workers: { policy: workers(locks), retrieval: none, webllm: none, locks },
    tracker: new PartTracker(() => undefined),
    checkpoint: () => ({
      get: () => Promise.resolve({ id: 'tiny', files }),
      reader: () => Promise.resolve({ tokenizer }),
      hold: () => Promise.resolve(() => undefined),
    }),
    onSampled: () => undefined,
    onReady: () => undefined,
    onFailed: (error) => failures.push(error),
  });
  const sampling = { temperature: 1, topK: 0, topP: 1 };
  /** Tokens of a context, told one by one. */
  const generate = async (maxTokens: number, onTokens: (count: number) => void) => {
    const { policy, device } = (await loader.loading) ?? none();
    expect(device.device).toBe('webgpu');
    const session = await policy.open(1);
    session.append([22, 40, 60]);
    return session.generate({
      maxTokens,
      stopIds: [],
      sampling,
      onTokens: ({ ids }) => onTokens(ids.length),
    });
  };
  loader.want({ kind: 'built-in' }, 'webgpu');
  loader.load();
  let came = 0;
  const outcome = generate(200, (count) => {
    came += count;
    devices[0]?.destroy();
  });
  await expect(outcome).rejects.toThrow(/policy worker was lost: the GPU device was lost \(/);
  expect(came).toBeGreaterThan(0);
  expect(came).toBeLessThan(200);
  expect(failures).toHaveLength(1);
  const { kind, message } = describeFailure(failures[0]);
  expect(kind).toBe('lost');
  expect(message).toMatch(
    /Finished rollouts and everything stored are kept; restart it, then run again\.$/,
  );

  loader.load();
  expect((await generate(2, () => undefined)).ids).toHaveLength(2);
  expect(devices).toHaveLength(2);
  expect(failures).toHaveLength(1);
});
