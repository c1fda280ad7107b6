import type { LoopHooks } from '../../agent/hooks.ts';
import type { Params } from './system.ts';

export const hooks = ({ order }: Params): LoopHooks =>
  order === 'best-last' ? { arrangeHits: (hits) => hits.toReversed() } : {};
