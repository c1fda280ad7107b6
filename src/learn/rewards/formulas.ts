import { rewardById } from './registry.ts';

/** Rewards as formulas, for those who choose one. */

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
  const { weights, source, formula = null } = reward;
  if (!weights) {
    const without = Object.keys(given);
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
