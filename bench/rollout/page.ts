import { initWeights } from '../../src/policy/checkpoint/weights.ts';
import type { PolicyPool } from '../../src/policy/serving/pool.ts';
import { randomGguf } from './gguf.ts';
import { runOurs, startEngines } from './ours.ts';
import { BENCH_CONFIG, BENCH_SEED } from './shape.ts';
import {
  complete,
  runWllama,
  startWllama,
  stopWllama,
  type Completion,
  type WllamaPool,
} from './wllama.ts';
import type { WllamaSettings } from './wllama-settings.ts';

export type Engine = 'ours' | 'wllama';

export interface Round {
  tokens: number;
  perSecond: number;
  seconds: number;
  /** Longest task of the page's thread in ms; browsers report those over 50 ms, else this is 0. */
  longestTask: number;
}

/** Calls `action` and watches for long tasks of this thread. */
async function watched<T>(action: () => Promise<T>): Promise<{ value: T; longestTask: number }> {
  let longestTask = 0;
  const note = (entries: PerformanceEntryList): void => {
    for (const { duration } of entries) longestTask = Math.max(longestTask, duration);
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ entryTypes: ['longtask'] });
  try {
    const value = await action();
    note(observer.takeRecords());
    return { value, longestTask };
  } finally {
    observer.disconnect();
  }
}

let ours: PolicyPool | undefined;
let theirs: WllamaPool | undefined;
const WARM_UP_TOKENS = 8;

function runEngine(engine: Engine, rollouts: number, tokens: number): Promise<number> {
  if (engine === 'ours' && ours) return runOurs(ours, rollouts, tokens);
  if (engine === 'wllama' && theirs) return runWllama(theirs, rollouts, tokens);
  throw new Error(`bench: ${engine} was not started`);
}

/** What `run.ts` calls from outside. */
const bench = {
  /** As many engines as threads, each in a worker. */
  async startOurs(rollouts: number, threads: number): Promise<void> {
    ours = await startEngines(threads);
    await runEngine('ours', rollouts, WARM_UP_TOKENS);
  },
  async startWllama(rollouts: number, settings: WllamaSettings): Promise<void> {
    const gguf = await randomGguf(initWeights(BENCH_CONFIG, BENCH_SEED));
    theirs = await startWllama([gguf], rollouts, settings, BENCH_CONFIG.maxPositions);
    await runEngine('wllama', rollouts, WARM_UP_TOKENS);
  },
  async round(engine: Engine, rollouts: number, tokens: number): Promise<Round> {
    const start = performance.now();
    const { value, longestTask } = await watched(() => runEngine(engine, rollouts, tokens));
    const seconds = (performance.now() - start) / 1000;
    return { tokens: value, perSecond: value / seconds, seconds, longestTask };
  },
  /** What wllama writes greedily after a prompt, with the file that was chosen. */
  async completeWllama(prompt: string, tokens: number): Promise<Completion> {
    const file = document.querySelector('input')?.files?.[0];
    if (!file) throw new Error('bench: no file was chosen');
    return complete(file, prompt, tokens);
  },
  async stop(): Promise<void> {
    ours?.dispose();
    if (theirs) await stopWllama(theirs);
    ours = theirs = undefined;
  },
};
export type Bench = typeof bench;
Object.assign(globalThis, { bench });
