import type { Model } from './rows.ts';
import { SHAPES } from './shapes.ts';

/**
 * Published shapes with the bounds of each. Those of the half-billion model, and of training the next one in int4, are what
 * the engine must reach, except for the loop trips of a decode step; those and the others keep what it reached.
 */
export const MODELS: readonly Model[] = [
  {
    name: 'qwen2-0.5b',
    shape: SHAPES['qwen2-0.5b'],
    bounds: {
      trips: 2420,
      prefillPeak: 0.4,
      stepPeak: 0.9,
      prefillBytes: { f32: 30, f16: 30, int8: 30, int4: 30 },
      stepBytes: { f32: 60, f16: 60, int8: 60, int4: 60 },
      train: { f32: 3.2, f16: 2.6, int8: 1.7, int4: 1.6 },
    },
  },
  {
    name: 'qwen2-1.5b',
    shape: SHAPES['qwen2-1.5b'],
    bounds: {
      trips: 2900,
      prefillPeak: 0.3,
      stepPeak: 1.2,
      prefillBytes: { f32: 22.5, f16: 19.5, int8: 18, int4: 17.2 },
      stepBytes: { f32: 87, f16: 78, int8: 73, int4: 71 },
      train: { f32: 8.6, f16: 5.4, int8: 3.9, int4: 3.2 },
    },
  },
  {
    name: 'qwen2-3b',
    shape: SHAPES['qwen2-3b'],
    bounds: {
      trips: 3780,
      prefillPeak: 0.4,
      stepPeak: 1.7,
      prefillBytes: { f32: 39, f16: 33, int8: 30, int4: 28.5 },
      stepBytes: { f32: 144, f16: 126, int8: 118, int4: 113 },
      train: { f32: 15.6, f16: 9.4, int8: 6.4, int4: 4.8 },
    },
  },
];
