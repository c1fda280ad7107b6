import type { ChainStep, Passage, Question } from '../../src/records/records.ts';
import { relation } from '../../src/world/schema/schema.ts';

/** How a search query may be put, from a step of a gold chain. */
export const QUERY_FORMS: Record<string, (step: ChainStep) => string> = {
  gold: (step) => step.query,
  'words swapped': (step) => `${step.subject} ${label(step)}`,
  'lower case, swapped': (step) => `${step.subject} ${label(step)}`.toLowerCase(),
  'as a question': (step) => asked(step),
  'name only': (step) => step.subject,
  'better second query': (step) => step.betterQuery ?? step.query,
};

const label = (step: ChainStep): string => step.query.replace(` of ${step.subject}`, '');

function asked(step: ChainStep): string {
  try {
    return (relation(step.relation).asks[0] ?? '{x}').replace('{x}', step.subject);
  } catch {
    return step.query; // lists have no question of their own
  }
}

/** Distinct gold steps of the questions. */
export function goldSteps(questions: readonly Question[]): ChainStep[] {
  const steps = questions.flatMap(({ chain = [] }) => chain);
  return [...new Map(steps.map((step) => [`${step.query}\n${step.title}`, step])).values()];
}

/** 1-based rank of the first passage that states what is asked for. */
export function rankOfGold(hits: readonly Passage[], gold: ReadonlySet<string>): number {
  const index = hits.findIndex(({ id }) => gold.has(id));
  return index < 0 ? Infinity : index + 1;
}

export const recallAt = (ranks: readonly number[], k: number): number =>
  ranks.filter((rank) => rank <= k).length / Math.max(1, ranks.length);
