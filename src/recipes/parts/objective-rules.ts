import { z } from 'zod';
import { checkParams } from './declared.ts';

/** Rules of the loss by id, filled by `defineObjectiveRule`. */
export const lossRules = new Map<string, { params: z.ZodObject }>();

/** Rules of systems by id, each with its parameters and their defaults; null: it is off. */
export const objectiveRulesSchema = z
  .record(z.string(), z.looseObject({}).nullable())
  .superRefine((given, context) => {
    for (const [id, own] of Object.entries(given))
      if (own) checkParams({ ...own, id }, lossRules, 'rule of the loss', context, [id]);
  })
  .overwrite((given) => {
    const on = Object.entries(given).filter(([, own]) => own !== null);
    return Object.fromEntries(
      on.map(([id, own]) => [id, lossRules.get(id)?.params.safeParse(own).data ?? own]),
    );
  })
  .default({});
