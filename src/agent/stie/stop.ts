import type { StopEvent } from '../../data/events.ts';
import { meanOverlap, type AnswerMemory } from './answers.ts';
import type { TokenForm } from './overlap.ts';

/** The three stop rules of arXiv 2506.19466, section 2.2, "Termination Control". */

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

/** What this round's passages brought. */
export interface NewInformation {
  entities: number;
  facts: number;
}

export interface StieStop {
  reason: Extract<StopEvent['reason'], `stie-${string}`>;
  detail: string;
}

/** Mean overlap with history `above` the threshold, or, as printed, `literal`ly below it. */
function overlapStop(memory: AnswerMemory, rules: StopRules): StieStop | null {
  const current = memory.history.at(-1);
  const earlier = memory.history.slice(0, -1);
  const above =
    rules.overlap === 'by-mode' ? rules.mode === 'corrected' : rules.overlap === 'above';
  const needed = above ? rules.minHistory : 1;
  if (!current || earlier.length < needed || rules.overlap === 'off') return null;
  const mean = meanOverlap(current, earlier, rules.tokens);
  if (above ? mean < rules.overlapThreshold : mean >= rules.overlapThreshold) return null;
  const words = above ? 'at or above' : 'below';
  return {
    reason: 'stie-overlap',
    detail: `mean overlap with earlier answers ${mean.toFixed(2)}, ${words} ${rules.overlapThreshold}`,
  };
}

/** exp(confidence) ≥ 1 − ε; `paper` has no ε: the upper limit is 1 itself. */
function confidenceStop(memory: AnswerMemory, rules: StopRules): StieStop | null {
  const current = memory.history.at(-1);
  if (!current || !rules.confidence || current.tokens.length === 0) return null;
  const ceiling = rules.mode === 'paper' ? 1 : 1 - rules.epsilon;
  const probability = Math.exp(current.confidence);
  if (probability < ceiling) return null;
  return {
    reason: 'stie-confidence',
    detail: `confidence ${probability.toFixed(4)} reached ${ceiling.toFixed(4)}`,
  };
}

function informationStop(
  information: NewInformation,
  memory: AnswerMemory,
  rules: StopRules,
): StieStop | null {
  if (!rules.newInformation || memory.history.length === 0) return null;
  const gained = information.entities + information.facts;
  if (gained > rules.minNewInformation) return null;
  return {
    reason: 'stie-no-new-information',
    detail: `${information.entities} new entities and ${information.facts} new facts, needs more than ${rules.minNewInformation}`,
  };
}

/**
 * Whether reasoning stops after this round, by the first rule that says so.
 * @param memory after this round; its last answer is y_t
 */
export const stieStop = (
  memory: AnswerMemory,
  information: NewInformation,
  rules: StopRules,
): StieStop | null =>
  overlapStop(memory, rules) ??
  confidenceStop(memory, rules) ??
  informationStop(information, memory, rules);
