import { z } from 'zod';
import { candidatesSchema } from './candidates.ts';
import { extractionSchema } from './extraction.ts';
import { hintSchema } from './hint.ts';

/** Parts of systems that have a loop of their own; each file beside this one has its source and equation. */
export const methodSchema = z.strictObject({
  /**
   * A first search with the question itself, before the policy writes (Self-Ask as FlashRAG has it). `question`: for a
   * policy whose tags are ids its passages stand before the question, as a background does; `result`: they are a result
   * after it, as they are for every other policy, with the blocks that follow results.
   */
  firstSearch: z.enum(['question', 'result']).optional(),
  extraction: extractionSchema.optional(),
  candidates: candidatesSchema.optional(),
  hint: hintSchema.optional(),
});
export type Method = z.infer<typeof methodSchema>;

/** Loops beside the think–search–answer loop and the two naive ones; `program`: the system's own. */
export const SYSTEM_LOOPS = ['program', 'think', 'rationale', 'actions', 'hinted'] as const;
