import { z } from 'zod';
import { checkParams, declarations } from './declared.ts';

/** Rules of the loss by id, filled by `defineObjectiveRule` of `src/systems/parts/objective-rule.ts`. */
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

/** Rules of systems for the weight of the KL: `objective.kl.system: { id, ... }`. */
export const klRules = declarations<{
  params: z.ZodObject;
  /** Why it cannot weigh such a KL, and what to do; null where it can. */
  clash: (kl: { place: 'off' | 'loss' | 'reward'; coefficient: number }) => string | null;
}>('rule of the KL');
