import type { PolicySession } from '../../src/policy/policy.ts';
import { connectPolicy } from '../../src/policy/serving/connect.ts';
import { PolicyPool } from '../../src/policy/serving/pool.ts';
import { noTokenizer } from '../rollout/no-tokenizer.ts';
import type { Agreement, Engine } from './engine.ts';
import type { EngineFile } from './gguf-bytes.ts';
import type { Prompt } from './prompts.ts';
import type { StepFile } from './step.worker.ts';

const GREEDY = { temperature: 0, topK: 0, topP: 1 };

export interface ForageEngine extends Engine {
  /**
   * Compares the likeliest tokens with `wanted`, those of another engine after the same prompts. Not timed.
   * @param ends ids that end a text
   */
  agreement(
    prompts: readonly Prompt[],
    wanted: readonly (readonly number[])[],
    ends: readonly number[],
  ): Promise<Agreement>;
}

/** One engine per thread, each in a worker, as the page runs them. Rejects where a worker fails. */
export async function startForage(file: EngineFile, threads: number): Promise<ForageEngine> {
  const workers = Array.from(
    { length: threads },
    () => new Worker(new URL('./engine.worker.ts', import.meta.url), { type: 'module' }),
  );
  const members = await Promise.all(
    workers.map(async (worker) => {
      const failed = new Promise<never>((_, reject) => {
        worker.addEventListener('error', ({ message }) => reject(new Error(message)));
      });
      const ready = connectPolicy(worker, noTokenizer);
      worker.postMessage(file);
      return Promise.race([ready, failed]);
    }),
  );
  const pool = new PolicyPool(members);
  let sessions: PolicySession[] = [];
  const generate = async (maxTokens: number): Promise<void> => {
    const all = await Promise.all(
      sessions.map((session) => session.generate({ maxTokens, stopIds: [], sampling: GREEDY })),
    );
    for (const { ids } of all)
      if (ids.length !== maxTokens) throw new Error('bench: an answer was shortened');
  };
  const closeAll = (): void => {
    for (const session of sessions) session.close();
    sessions = [];
  };

  /** The likeliest token at each place of `ids`, given the prompt and those before it. */
  const likeliest = async (prompt: Prompt, ids: readonly number[]): Promise<number[]> => {
    const found: number[] = [];
    while (found.length < ids.length) {
      const session = await pool.open(1);
      session.append([...prompt.ids, ...ids.slice(0, found.length)]);
      // The context goes on as long as both agree; after that it holds another text.
      for (let same = true; same && found.length < ids.length;) {
        const { ids: next } = await session.generate({
          maxTokens: 1,
          stopIds: [],
          sampling: GREEDY,
        });
        same = next[0] === ids[found.length];
        found.push(next[0] ?? -1);
      }
      session.close();
    }
    return found;
  };

  const { onDevice = '', keys = '' } = pool.info;
  return {
    held: `weights in ${onDevice}, KV cache in ${keys}`,
    async prefill(prompts) {
      closeAll();
      sessions = await Promise.all(prompts.map((_, i) => pool.open(i + 1)));
      for (const [i, session] of sessions.entries()) session.append(prompts[i]?.ids ?? []);
      await generate(1);
    },
    decode: generate,
    async agreement(prompts, wanted, ends) {
      closeAll();
      const found = await Promise.all(
        prompts.map((prompt, i) => likeliest(prompt, wanted[i] ?? [])),
      );
      // wllama was told not to end: where Forage would, there is nothing to compare.
      const places = found.flatMap((ids, i) =>
        ids.flatMap((id, at) => (ends.includes(id) ? [] : [id === wanted[i]?.[at]])),
      );
      return { equal: places.filter(Boolean).length, tokens: places.length };
    },
    stop() {
      for (const worker of workers) worker.terminate();
      return Promise.resolve();
    },
  };
}

/** A LoRA step in a worker of its own. */
export interface StepEngine {
  run(): Promise<void>;
  stop(): void;
}

export async function startStep(file: StepFile): Promise<StepEngine> {
  const worker = new Worker(new URL('./step.worker.ts', import.meta.url), { type: 'module' });
  const answered = (message: StepFile | null): Promise<void> =>
    new Promise((resolve, reject) => {
      worker.onmessage = () => resolve();
      worker.onerror = (event) => reject(new Error(event.message));
      worker.postMessage(message);
    });
  await answered(file);
  return { run: () => answered(null), stop: () => worker.terminate() };
}
