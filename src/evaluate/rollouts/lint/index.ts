import type { ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';
import { answerSeenNotGiven, contradictsEvidence, underSearch } from './evidence.ts';
import type { Finding } from './finding.ts';
import { environmentTrained, ownTextMasked } from './masks.ts';
import { clauseSum, statedScores, tokenRewardsScaled } from './rewards.ts';
import { copiedQuery, evidenceIgnored, overSearch } from './searching.ts';
import {
  answerFromPrompt,
  answerNotClosed,
  greedyBox,
  observationCut,
  resultEndedEarly,
} from './text.ts';
import { retokenized, type Decode } from './tokens.ts';

const CHECKS: readonly ((rollout: ImportedRollout) => Finding[])[] = [
  environmentTrained,
  ownTextMasked,
  statedScores,
  clauseSum,
  tokenRewardsScaled,
  answerFromPrompt,
  observationCut,
  resultEndedEarly,
  greedyBox,
  answerNotClosed,
  overSearch,
  underSearch,
  copiedQuery,
  answerSeenNotGiven,
  evidenceIgnored,
  contradictsEvidence,
];

/**
 * Every check on one rollout, in a fixed order. A check that lacks its data finds nothing: without a
 * loss mask no mask is judged, without ids no token is.
 * @param decode the policy's tokenizer, where there is one: ids are then compared with the text
 */
export const lintRollout = (rollout: ImportedRollout, decode?: Decode): Finding[] => [
  ...retokenized(rollout, decode),
  ...CHECKS.flatMap((check) => check(rollout)),
];
