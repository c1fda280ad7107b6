import { z } from 'zod';
import { present } from '../../base/items.ts';
import { checkParams, declarations } from './declared.ts';
import type { SystemSettings } from './system.ts';

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

/** How a system weighs the KL in the loss, from step to step and from rollout to rollout. */
interface KlRule {
  /** Coefficient of a step, counted from 1. @param first that of the settings */
  coefficient: (at: { step: number; steps: number; first: number }) => number;
  /** Whether the loss of a rollout has the KL. @param solved whether a rollout of its group is right */
  pulls: (rollout: { right: boolean; solved: boolean }) => boolean;
}

interface DeclaredKl {
  params: z.ZodObject;
  rule: (system: SystemSettings) => KlRule;
}

const { declared, schema } = declarations<DeclaredKl>('rule of the KL');

/** Parameters of a declared rule, checked by its schema. */
export const systemKlSchema = schema;

/** Declares the rule of the system `id`: `objective.kl.system: { id, ... }`. */
export function defineKl<Params extends z.ZodObject>(
  id: string,
  { params, rule }: { params: Params; rule: (params: z.infer<Params>) => KlRule },
): void {
  declared.set(id, {
    params,
    rule: (system) => {
      const { id: _, ...own } = system;
      return rule(params.parse(own));
    },
  });
}

/** The rule of a KL; undefined where it is the same for all steps and rollouts. */
export const klRuleOf = ({ system }: { system?: SystemSettings | undefined }): KlRule | undefined =>
  system && present(declared.get(system.id), `KL rule of ${system.id}`).rule(system);
