import { z } from 'zod';
import type { RouterWeights } from '../../agent/router/network.ts';
import type { Json } from '../rl/contracts.ts';
import type { Moments } from './optimizer.ts';
import { issueOf } from '../../base/errors.ts';

/** All that a router's training depends on, as plain JSON: double precision survives it exactly. */
export interface RouterState {
  weights: RouterWeights;
  moments: Moments;
  /** Updates made. */
  steps: number;
  /** Running mean of rewards; null before the first update. */
  baseline: number | null;
  /** The web calls after the mean latency of the measured reward, milliseconds. */
  webLatency: { sum: number; count: number };
}

const numbers = z.array(z.number());
const schema = z.strictObject({
  format: z.literal('forage.router/1'),
  weights: z.strictObject({
    origin: z.string(),
    bias: z.number(),
    linear: numbers,
    hiddenBias: numbers,
    hidden: z.array(numbers),
    output: numbers,
  }),
  moments: z.strictObject({ first: numbers, second: numbers }),
  steps: z.int().min(0),
  baseline: z.number().nullable(),
  webLatency: z.strictObject({ sum: z.number(), count: z.int().min(0) }),
});

export const encodeRouterState = (state: RouterState): Json =>
  structuredClone({ format: 'forage.router/1', ...state }) as unknown as Json;

/** @throws Error of one line where the value is not a state of a router */
export function decodeRouterState(json: Json): RouterState {
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw new Error(`router state: ${issueOf(parsed.error)}`);
  const { format: _, ...state } = parsed.data;
  return state;
}
