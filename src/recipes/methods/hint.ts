import { z } from 'zod';

/**
 * Words that the loop puts into the policy's mouth (START's hint-infer, arXiv 2503.04625; CoRT's prompt-hint, 2506.09820):
 * a thought that begins with them, which the policy continues.
 */
export const hintSchema = z.strictObject({
  /**
   * `open`: the first thought; `before-answer`: in place of an answer, which is asked for again after it; `after-result`:
   * the thought after a result, where START's words of hesitation would stand.
   */
  where: z.enum(['open', 'before-answer', 'after-result']),
  text: z.string().min(1).max(400),
  /**
   * `first-thought`: in the place of the text, where it thinks anything, the first paragraph that the policy thinks about the
   * question without searching (Agent-Distillation's first-thought prefix, 2505.17612, section 3.1).
   */
  from: z.literal('first-thought').optional(),
  /** How often at most, from the first such place on; `open` is one. */
  most: z.int().min(1).max(16),
});
