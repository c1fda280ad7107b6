import type { z } from 'zod';
import { definedRules, type RuleDefinition } from '../../learn/objective.ts';
import { lossRules } from '../../recipes/parts/objective-rules.ts';

/** Defines `objective.rules.<id>`; apart from the other definitions, as the threads of the trainer load it too. */
export function defineObjectiveRule<Params extends z.ZodObject>(
  id: string,
  definition: RuleDefinition<Params>,
): void {
  const { params, rule } = definition;
  lossRules.set(id, { params });
  definedRules.set(id, { ...definition, rule: (own) => rule(params.parse(own)) });
}
