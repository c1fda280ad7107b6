import type { LoadModelParams } from '@wllama/wllama';

/** How wllama is loaded: what its speed with many slots depends on. */
export interface WllamaSettings {
  /** Whether all slots share one KV store (wllama's default), or each has its own. */
  unified: boolean;
  /** Instances, each in a worker of its own, that share the rollouts. */
  instances: number;
  /** Threads of each instance. */
  threads: number;
  batch: number;
  microBatch: number;
  /** Of keys and values; f16 where absent. */
  cacheType?: 'f32' | 'f16';
  /** True: where llama.cpp finds it fit; that is so where absent, too. */
  flashAttention?: boolean;
  /** llama-server's chain of samplers where absent. */
  samplers?: readonly string[];
}

/**
 * With one store for all slots llama.cpp computes every token's attention over the contexts of all of
 * them and masks what is not its own (llama.cpp pull request 14363): work that grows with the square
 * of the slots. With a store for each slot it attends to its own context alone.
 */
const UNIFIED: WllamaSettings = {
  unified: true,
  instances: 1,
  threads: 2,
  batch: 512,
  microBatch: 512,
};
const SPLIT: WllamaSettings = { ...UNIFIED, unified: false };
const TWO: WllamaSettings = { ...SPLIT, instances: 2, threads: 1 };

/** What `tune.ts` tries, by name. */
export const CANDIDATES: Readonly<Record<string, WllamaSettings>> = {
  unified: UNIFIED,
  split: SPLIT,
  'split, flash attention off': { ...SPLIT, flashAttention: false },
  'split, flash attention auto': { ...SPLIT, flashAttention: true },
  'split, f32 cache': { ...SPLIT, cacheType: 'f32' },
  'split, f32 cache, flash attention off': { ...SPLIT, cacheType: 'f32', flashAttention: false },
  'split, batch 2048': { ...SPLIT, batch: 2048 },
  'split, batch 2048/2048': { ...SPLIT, batch: 2048, microBatch: 2048 },
  'split, batch 128/128': { ...SPLIT, batch: 128, microBatch: 128 },
  'split, temperature alone': { ...SPLIT, samplers: ['temperature'] },
  'split, one thread': { ...SPLIT, threads: 1 },
  'two instances': TWO,
  'two instances, flash attention off': { ...TWO, flashAttention: false },
  'two instances, f32 cache': { ...TWO, cacheType: 'f32' },
  'two instances, f32 cache, flash attention off': {
    ...TWO,
    cacheType: 'f32',
    flashAttention: false,
  },
  'two instances, batch 2048/2048': { ...TWO, batch: 2048, microBatch: 2048 },
  'two instances, batch 128/128': { ...TWO, batch: 128, microBatch: 128 },
  'two instances, temperature alone': { ...TWO, samplers: ['temperature'] },
  'two instances, f32 cache, flash attention off, temperature alone': {
    ...TWO,
    cacheType: 'f32',
    flashAttention: false,
    samplers: ['temperature'],
  },
};

/** The fastest candidate, by `tune.ts` at 64 slots. */
export const BEST = 'two instances, f32 cache, flash attention off, temperature alone';

/** The best setting with other numbers of slots and threads: one thread for each instance, as far as there are slots. */
export function bestSettings(slots: number, threads: number): WllamaSettings {
  const instances = Math.min(slots, threads);
  return { ...CANDIDATES[BEST]!, instances, threads: Math.floor(threads / instances) };
}

/**
 * Parameters of each instance, for as many slots as rollouts over all of them.
 * @param context tokens of each slot
 */
export function loadParams(
  rollouts: number,
  settings: WllamaSettings,
  context: number,
): LoadModelParams {
  const { unified, instances, threads, batch, microBatch, cacheType, flashAttention } = settings;
  const slots = Math.ceil(rollouts / instances);
  return {
    // As many cells as the contexts can fill, however they are shared.
    n_ctx: context * slots,
    n_parallel: slots,
    kv_unified: unified,
    n_batch: batch,
    n_ubatch: microBatch,
    n_threads: threads,
    n_gpu_layers: 0,
    cont_batching: true,
    ...(cacheType && { cache_type_k: cacheType, cache_type_v: cacheType }),
    ...(flashAttention !== undefined && { flash_attn: flashAttention }),
  };
}
