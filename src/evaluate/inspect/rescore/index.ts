/** Any imported rollout under every published scorer. */
export {
  ANSWER_SCORERS,
  DisagreementQueue,
  opinionsOf,
  type Disagreement,
  type Opinion,
} from './disagreement.ts';
export { scoringFacts, type ScoringFacts } from './facts.ts';
export { rescore, type Rescored } from './rescore.ts';
export { scorerById, SCORERS, type Scored, type Scorer } from './scorers.ts';
