/**
 * Names under which files keep the same thing. Every layout reads by these lists, so that a key that is
 * understood in one file is understood in the next.
 */

export { GOLD_KEYS } from '../../values/answers.ts';

/** The training step. */
export const STEP_KEYS = [
  'step',
  'global_step',
  'global_steps',
  'training_step',
  'train_step',
] as const;

/** What the policy was asked. */
export const PROMPT_KEYS = ['prompt', 'question', 'query', 'problem', 'input'] as const;

/** What the policy wrote, whatever it looks like. */
export const COMPLETION_KEYS = [
  'completion',
  'response',
  'output',
  'generation',
  'generated_text',
  'model_output',
  'model_response',
] as const;

/** The same where tags of a protocol are in it: without them it may be a passage, or an answer alone. */
export const TAGGED_KEYS = ['text', 'prediction', 'pred', 'generated', 'trajectory'] as const;

/** Where reward functions leave the answer that they found; null where they found none. */
export const PREDICTION_KEYS = ['pred', 'prediction', 'extracted_answer'] as const;
