import { z } from 'zod';
import { defineGrouping } from '../parts/define.ts';

const params = z.strictObject({
  /** Further rollouts of a question that all rollouts of its group fail; these read a hint. */
  guided: z.int().min(1).max(16),
});
export type Guide = z.infer<typeof params>;

defineGrouping('guide', {
  params,
  grows: 'get a hint where all have failed',
  load: () => import('./grouping.ts'),
});
