import { rewardById, type RewardId } from './list.ts';

/**
 * Rewards as formulas, for those who choose one: what the definition beside each computes. R_fmt is 1 for an
 * output that follows the protocol throughout, else 0; the definition's comment says what else it looks at.
 */

const FIXED: Partial<Record<RewardId, string>> = {
  em: 'R = EM',
  f1: 'R = F1',
  'search-r1': 'R = EM',
  'search-r1-format':
    'R = 0.8 · EM + 0.2 · R_fmt; 0.1 for an answer that is neither correct nor well-formed',
  'search-r1-format-retrieval':
    'R = 0.8 · EM + 0.2 · R_fmt + 0.1 if it is wrong, well-formed, and a gold answer was read; 0.1 for an answer that is neither correct nor well-formed',
  'r1-searcher-stage-1': 'R = 0.5 · [a query was answered] + 0.5 · R_fmt',
  'r1-searcher-stage-1-released':
    'R = ±1 (cover-EM) + 0.5 · [a query was answered, each closed] + 0.5 · R_fmt',
  'r1-searcher-stage-2': 'R = F1 − 2 · (1 − R_fmt)',
  'r1-searcher-stage-2-released': 'R = F1 − 2 · [malformed, or an answer of more than ten words]',
  'r1-searcher-stage-2-instruct': 'R = F1 − (1 − R_fmt)',
  'ur2-stage-1':
    'R = 1, or −1 per format violation; + 3 for one valid query, 4 for more; − 0.5 per fallback',
  'ur2-stage-1-3b':
    'R = 1, or −1 per format violation or without a query; + 5 for one valid query, 7 for more; − 0.5 per fallback',
  'ur2-stage-1-llama':
    'R = 1, or −1 per format violation; + 3 for any valid query; − 0.5 per fallback',
  'ur2-stage-1-weak':
    'R = 2 · EM + R_fmt + 0.5 for one valid query, 1 for more; − 0.5 per fallback',
  'ur2-stage-2': 'R = 2 · EM + R_fmt − 0.5 per fallback',
  research: 'R = F1 if well-formed (0.1 if F1 is 0); 0 if malformed',
  autorefine: 'R = F1; if that is 0, 0.1 if the refinement contains a gold answer',
  'step-search':
    'R = F1 + 0.6 · Σ over searches (gold brought first − passages seen before); −1 without an answer',
  'step-search-tf-idf':
    'R = F1 + 0.618 · match of queries + 0.6 · Σ over searches (rise of the TF-IDF similarity to the gold paragraphs − passages seen before); −1 without an answer',
};

/** How formulas name the clauses that a stage may weigh. */
const TERMS: Readonly<Record<string, string>> = {
  format: 'R_fmt',
  length: 'R_len',
  accuracy: 'R_acc',
  structure: 'R_struct',
};

const number = (value: number): string => String(Number(value.toPrecision(3)));

export interface RewardFormula {
  /** Null where there is none for this reward: its source has it. */
  formula: string | null;
  /** Paper, and equation where it has a number. */
  source: string;
}

/** @param given λ in place of the defaults, by clause */
export function rewardFormula(
  id: string,
  given: Readonly<Record<string, number>> = {},
): RewardFormula | null {
  const reward = rewardById(id);
  if (!reward) return null;
  const { weights, source } = reward;
  if (!weights) {
    const entry = Object.entries(FIXED).find(([name]) => name === id);
    const without = Object.keys(given);
    const formula = entry?.[1] ?? null;
    return {
      formula:
        formula && without.length > 0 ? `${formula}, without ${without.join(', ')}` : formula,
      source,
    };
  }
  const terms = Object.entries({ ...weights, ...given }).map(
    ([clause, weight]) => `${number(weight)} · ${TERMS[clause] ?? clause}`,
  );
  return { formula: `R = ${terms.join(' + ')}`, source };
}
