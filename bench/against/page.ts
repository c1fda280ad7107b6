import type { MatrixType } from '../../src/policy/ops/values.ts';
import type { WllamaSettings } from '../rollout/wllama-settings.ts';
import type { Agreement, Engine } from './engine.ts';
import { startForage, startStep, type ForageEngine, type StepEngine } from './forage.ts';
import { startWllamaEngine, type WllamaEngine } from './wllama.ts';
import type { Prompt } from './prompts.ts';

let forage: ForageEngine | undefined;
let wllama: WllamaEngine | undefined;
let step: StepEngine | undefined;

function started<T>(engine: T | undefined): T {
  if (!engine) throw new Error('bench: no engine was started');
  return engine;
}

const files = (): File[] => [...(document.querySelector('input')?.files ?? [])];

/** Seconds of one call. */
async function timed(action: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await action();
  return (performance.now() - start) / 1000;
}

/** What `run.ts` calls from outside. One engine at a time. */
const bench = {
  /** @returns what it holds the model in, as text */
  async startForage(
    weights: MatrixType | null,
    slots: number,
    threads: number,
    context: number,
  ): Promise<string> {
    forage = await startForage({ files: files(), weights, slots, context }, threads);
    return forage.held;
  },
  async startWllama(slots: number, settings: WllamaSettings, context: number): Promise<string> {
    wllama = await startWllamaEngine(files(), slots, settings, context);
    return wllama.held;
  },
  prefill: (prompts: Prompt[]): Promise<number> =>
    timed(() => started<Engine>(forage ?? wllama).prefill(prompts)),
  decode: (tokens: number): Promise<number> =>
    timed(() => started<Engine>(forage ?? wllama).decode(tokens)),
  greedyWllama: (prompts: Prompt[], tokens: number): Promise<number[][]> =>
    started(wllama).greedy(prompts, tokens),
  agreement: (prompts: Prompt[], wanted: number[][], ends: readonly number[]): Promise<Agreement> =>
    started(forage).agreement(prompts, wanted, ends),
  async startStep(weights: MatrixType | null, tokens: number): Promise<void> {
    step = await startStep({ files: files(), weights, tokens });
  },
  step: (): Promise<number> => timed(() => started(step).run()),
  async stop(): Promise<void> {
    await (forage ?? wllama ?? step)?.stop();
    forage = wllama = step = undefined;
  },
};
export type AgainstBench = typeof bench;
Object.assign(globalThis, { bench });
