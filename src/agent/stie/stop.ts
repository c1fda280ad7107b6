import type { StopClause, StopEvent } from '../../records/events.ts';
import { meanOverlap, type AnswerMemory } from './answers.ts';
import type { TokenForm } from './overlap.ts';

/**
 * The three stop rules of arXiv 2506.19466, section 2.2, "Termination Control". They are in its text,
 * without equations or constants: (6) is all that they share with (5) to (13). The rule on overlap says
 * "falls below a threshold": as printed the first answer that differs from the earlier ones ends the
 * reasoning, though (9) has just called it valid.
 */

export interface StopRules {
  mode: 'paper' | 'corrected';
  tokens: TokenForm;
  overlap: 'by-mode' | 'above' | 'literal' | 'off';
  overlapThreshold: number;
  minHistory: number;
  confidence: boolean;
  epsilon: number;
  newInformation: boolean;
  minNewInformation: number;
}

/** What this round's passages brought, and STIE's verdict on y_t. */
export interface RoundOutcome {
  entities: number;
  facts: number;
  /** Rounds in a row, this one included, that brought no more than `minNewInformation`. */
  idleRounds: number;
  /** Valid by (9), or exempt because passages support it. */
  valid: boolean;
}

export interface StieStop {
  reason: Extract<StopEvent['reason'], `stie-${string}`>;
  detail: string;
  clause: StopClause;
}

/**
 * Mean overlap with history `above` the threshold, or, as printed, `literal`ly below it. An answer
 * that is repeated without support is stuck, which (12) and (13) are for; `corrected` takes agreement
 * for convergence only where the answer is as valid.
 */
function overlapStop(
  memory: AnswerMemory,
  { valid }: RoundOutcome,
  rules: StopRules,
): StieStop | null {
  const current = memory.history.at(-1);
  const earlier = memory.history.slice(0, -1);
  const above =
    rules.overlap === 'by-mode' ? rules.mode === 'corrected' : rules.overlap === 'above';
  const needed = above ? rules.minHistory : 1;
  if (!current || earlier.length < needed || rules.overlap === 'off') return null;
  // (6) divides by |T(y_t)|: an answer without words overlaps neither little nor much.
  if (current.tokens.length === 0) return null;
  if (above && rules.mode === 'corrected' && !valid) return null;
  const mean = meanOverlap(current, earlier, rules.tokens);
  const threshold = rules.overlapThreshold;
  if (above ? mean < threshold : mean >= threshold) return null;
  const among = `mean overlap ${mean.toFixed(2)} with ${earlier.length} earlier answer${earlier.length === 1 ? '' : 's'}`;
  return {
    reason: 'stie-overlap',
    detail: above
      ? `${among}, at or above ${threshold}: the answers agree`
      : `${among}, below ${threshold}: as printed, too little overlap ends the reasoning`,
    clause: { rule: above ? 'overlap-above' : 'overlap-below', value: mean, threshold },
  };
}

/** What is lacking to certainty. */
const short = (value: number): string => (value === 0 ? '0' : String(Number(value.toPrecision(1))));

/** exp(confidence) ≥ 1 − ε; `paper` has no ε: the upper limit is 1 itself. */
function confidenceStop(memory: AnswerMemory, rules: StopRules): StieStop | null {
  const current = memory.history.at(-1);
  if (!current || !rules.confidence || current.tokens.length === 0) return null;
  const ceiling = rules.mode === 'paper' ? 1 : 1 - rules.epsilon;
  const probability = Math.exp(current.confidence);
  if (probability < ceiling) return null;
  return {
    reason: 'stie-confidence',
    detail: `confidence 1 − ${short(1 - probability)} reached 1 − ${short(1 - ceiling)}`,
    clause: { rule: 'confidence', value: probability, threshold: ceiling },
  };
}

/** After one round without news a model often asks the other source, so that `corrected` stops after two in a row. */
function informationStop(
  round: RoundOutcome,
  memory: AnswerMemory,
  rules: StopRules,
): StieStop | null {
  if (!rules.newInformation || memory.history.length === 0) return null;
  const enough = rules.mode === 'paper' ? 1 : 2;
  if (round.idleRounds < enough) return null;
  return {
    reason: 'stie-no-new-information',
    detail: `${round.entities} new entities and ${round.facts} new facts, needs more than ${rules.minNewInformation}; ${round.idleRounds} such rounds in a row`,
    clause: {
      rule: 'new-information',
      value: round.entities + round.facts,
      threshold: rules.minNewInformation,
    },
  };
}

/**
 * Whether reasoning stops after this round, by the first rule that says so.
 * @param memory after this round; its last answer is y_t
 */
export const stieStop = (
  memory: AnswerMemory,
  round: RoundOutcome,
  rules: StopRules,
): StieStop | null =>
  overlapStop(memory, round, rules) ??
  confidenceStop(memory, rules) ??
  informationStop(round, memory, rules);
