import { describe, expect, it } from 'vitest';
import { runRollout } from '../../../../src/agent/run.ts';
import { createRouter } from '../../../../src/agent/router/router.ts';
import { TextPolicy } from '../../../../src/policy/remote/text-policy.ts';
import {
  openWebLlm,
  webLlmProblem,
  type EngineWorker,
} from '../../../../src/policy/remote/webllm/start.ts';
import { getRecipe } from '../../../../src/systems/index.ts';
import { QUESTION, retrieverOver } from '../../../agent/helpers.ts';

interface Message {
  kind: string;
  uuid: string;
}

/** A worker that speaks the library's messages; `answer` says what comes of loading. */
class ScriptedWorker implements EngineWorker {
  onmessage: unknown = null;
  terminated = 0;
  readonly kinds: string[] = [];
  readonly #answer: 'loads' | 'hangs' | { fails: string };
  readonly #lost: ((event: Event) => void)[] = [];
  /** Ends without an event, as where the system takes its memory. */
  vanish: () => void = () => undefined;
  readonly gone = new Promise<Error>((resolve) => {
    this.vanish = () => resolve(new Error('it vanished'));
  });

  constructor(answer: 'loads' | 'hangs' | { fails: string }) {
    this.#answer = answer;
  }

  addEventListener(_: 'error', listener: (event: Event) => void): void {
    this.#lost.push(listener);
  }

  postMessage(message: unknown): void {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the library's own messages
    const { kind, uuid } = message as Message;
    this.kinds.push(kind);
    if (kind === 'unload') this.#tell({ kind: 'return', uuid, content: null });
    if (kind !== 'reload') return;
    const progress = { progress: 0.5, timeElapsed: 1, text: 'Fetching [1/2]' };
    this.#tell({ kind: 'initProgressCallback', uuid, content: progress });
    if (this.#answer === 'loads') this.#tell({ kind: 'return', uuid, content: null });
    if (typeof this.#answer === 'object')
      this.#tell({ kind: 'throw', uuid, content: this.#answer.fails });
  }

  terminate(): void {
    this.terminated += 1;
  }

  die(message: string): void {
    const event = Object.assign(new Event('error'), { message });
    for (const listener of this.#lost) listener(event);
  }

  #tell(data: object): void {
    // The library takes a message for one of a worker only where it is a MessageEvent.
    queueMicrotask(() => {
      if (typeof this.onmessage === 'function') this.onmessage(data);
    });
  }
}

const CLOSED = new Error('the model was closed');
const ID = 'Qwen2-0.5B-Instruct-q4f32_1-MLC';

const start = (worker: ScriptedWorker, signal?: AbortSignal) => {
  const told: { share: number; text: string }[] = [];
  const lost: Error[] = [];
  const opening = openWebLlm({
    id: ID,
    worker,
    gone: worker.gone,
    custom: [{ id: ID, weights: 'http://a/', library: 'http://a/l.wasm', maxContext: 1024 }],
    onProgress: (progress) => told.push(progress),
    onLost: (reason) => lost.push(reason),
    signal,
  });
  return { opening, told, lost };
};

describe('opening a WebLLM model', () => {
  it('tells progress, and is the policy that was asked for', async () => {
    const { opening, told } = start(new ScriptedWorker('loads'));
    expect((await opening).info).toMatchObject({ id: ID, maxContext: 1024 });
    expect(told).toEqual([{ share: 0.5, text: 'Fetching [1/2]' }]);
  });

  it.each([
    ['This model requires WebGPU extension shader-f16', 'q4f32 instead of q4f16'],
    ['The WebGPU device was lost while loading the model', 'smaller model'],
    ['WebGPU is not supported in your current environment', 'does not offer'],
    ['TypeError: Failed to fetch', 'Check the connection'],
    ['Cannot find tokenizer', 'could not load'],
  ])('says in words: %s', async (fails, words) => {
    const worker = new ScriptedWorker({ fails });
    await expect(start(worker).opening).rejects.toThrow(words);
    expect(worker.terminated).toBeGreaterThan(0);
  });

  it('ends the worker where it is cancelled while it loads', async () => {
    const worker = new ScriptedWorker('hangs');
    const abort = new AbortController();
    const { opening, lost } = start(worker, abort.signal);
    await expect.poll(() => worker.kinds).toContain('reload');
    abort.abort(new Error('another policy was chosen'));
    await expect(opening).rejects.toThrow('another policy was chosen');
    expect(worker.terminated).toBeGreaterThan(0);
    expect(lost).toEqual([]);
  });

  const rollout = (policy: TextPolicy) =>
    runRollout(
      { policy, retriever: retrieverOver(), router: createRouter(), now: Date.now },
      {
        question: QUESTION,
        recipe: getRecipe('search'),
        seed: 1,
        rolloutId: 'r',
        runId: 'run',
        groupId: 'g',
        step: 0,
      },
    );

  it.each([
    ['with an error', (worker: ScriptedWorker) => worker.die('out of memory'), 'out of memory', 1],
    ['without a word', (worker: ScriptedWorker) => worker.vanish(), 'it vanished', 1],
    ['on purpose', (_: ScriptedWorker, abort: AbortController) => abort.abort(CLOSED), 'closed', 0],
  ] as const)('ends the rollouts of a worker that ends %s', async (_, end, why, told) => {
    const worker = new ScriptedWorker('loads');
    const abort = new AbortController();
    const { opening, lost } = start(worker, abort.signal);
    const running = rollout(new TextPolicy(await opening));
    await expect.poll(() => worker.kinds).toContain('chatCompletionStreamInit');
    end(worker, abort);
    const { events } = await running;
    expect(events.at(-1)).toMatchObject({ kind: 'stop', reason: 'error' });
    expect(JSON.stringify(events)).toContain(why);
    await expect.poll(() => lost).toHaveLength(told);
    expect(worker.terminated).toBeGreaterThan(0);
  });

  it('says that the worker vanished while it loaded, and does not take a closed one for lost', async () => {
    const worker = new ScriptedWorker('hangs');
    const { opening } = start(worker);
    await expect.poll(() => worker.kinds).toContain('reload');
    worker.vanish();
    await expect(opening).rejects.toThrow('it vanished');

    const closed = new ScriptedWorker('loads');
    const { opening: opens, lost } = start(closed);
    (await opens).dispose();
    await expect.poll(() => closed.terminated).toBe(1);
    closed.vanish();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(lost).toEqual([]);
  });

  it('says without a download that there is no GPU to use', async () => {
    expect(await webLlmProblem(undefined)).toContain('does not offer');
    const none = { requestAdapter: () => Promise.resolve(null) };
    expect(await webLlmProblem(none)).toContain('finds none');
    expect(await webLlmProblem({ requestAdapter: () => Promise.resolve({}) })).toBeNull();
  });
});
