/** Advantages and token weights of stored rollouts under other settings. */
export type { Normalisation } from './advantages.ts';
export { lossOfRollout, lossOfRun, withLoss, type LossSettings } from './training.ts';
export { flatTokens, type FlatTokens, type MaskChoice } from './tokens.ts';
export {
  computeSide,
  whatIf,
  type CurrentLogprobs,
  type RolloutOutcome,
  type Side,
  type TokenWeights,
  type WhatIf,
  type WhatIfSettings,
} from './what-if.ts';
