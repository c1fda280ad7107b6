export { applyUpdate } from './apply.ts';
export {
  runGroup,
  runRollout,
  type AgentDeps,
  type GroupRequest,
  type RolloutRequest,
} from './run.ts';
export { COLLAPSE_RATIO, paperOptimum, RunningMean } from './router/reward.ts';
export { coverageOf } from './router/coverage.ts';
export { createRouter, priorWeights, type Router } from './router/router.ts';
export { deriveSeed } from '../base/seeds.ts';
export type { RolloutUpdate } from '../records/updates.ts';
