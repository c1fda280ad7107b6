/** The inspector without an interface: statistics, lint and taxonomy of any imported rollouts. */
export {
  evidenceSegments,
  holdsAnswer,
  isClosed,
  needlesOf,
  readFactsOf,
  wordText,
  type RolloutFacts,
} from './lint/facts.ts';
export { inspectFile, inspectRun, Inspector, type Inspection } from './inspect.ts';
export {
  LINTS,
  lintRollout,
  lintRun,
  summaryOf,
  type Decode,
  type Finding,
  type LintCode,
  type LintSummary,
} from './lint/index.ts';
export {
  statisticsOf,
  type Agreement,
  type Count,
  type NormalisedCounts,
  type Statistics,
} from './statistics.ts';
export {
  basisOf,
  basisWords,
  BASIS_NAMES,
  OUTCOME_NAMES,
  outcomeOf,
  taxonomyOf,
  type Outcome,
  type OutcomeBasis,
  type Taxonomy,
} from './taxonomy.ts';
