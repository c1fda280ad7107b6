/**
 * Names under which files keep the same thing. Every layout reads by these lists, so that a key that is
 * understood in one file is understood in the next.
 */

/**
 * Gold answers, the most telling first. `answer` may be the model's own where another of them is there, so
 * it comes late; `solution` is often the worked way to an answer that stands beside it.
 */
export const GOLD_KEYS = [
  'ground_truth',
  'golden_answers',
  'golden_answer',
  'gold_answers',
  'gold_answer',
  'gold',
  'gts',
  'target',
  'reward_spec',
  'reward_model',
  'reference_answer',
  'expected_answer',
  'correct_answer',
  'reference',
  'ideal',
  'label',
  'answers',
  'answer',
  'solution',
] as const;

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

/** The same where tags of a protocol stand in it: without them it may be a passage, or an answer alone. */
export const TAGGED_KEYS = ['text', 'prediction', 'pred', 'generated', 'trajectory'] as const;

/** Where reward functions leave the answer that they found; null where they found none. */
export const PREDICTION_KEYS = ['pred', 'prediction', 'extracted_answer'] as const;
