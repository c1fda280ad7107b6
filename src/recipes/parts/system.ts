import { z } from 'zod';
import { checkParams } from './declared.ts';

/**
 * A system's own parameters: `settings.system` of a loop names the system and has them beside its id. The core knows
 * neither; each system declares its schema here (`src/systems/parts/define.ts`).
 */
export interface SystemSettings {
  id: string;
  [parameter: string]: unknown;
}

/** What is known of a system's rollouts before its code is loaded. */
export interface Traits {
  /** The context restarts within a rollout. */
  resetsContext?: boolean;
  /** Its policy never asks for a search: it only thinks (`think`), or reads what its program retrieved (`read`). */
  way?: 'think' | 'read';
  /** Its steps are chosen among several: they are not samples that a policy gradient could train. */
  choosesSteps?: boolean;
  /** Most queries of one search, with semicolons between them; one result answers them all, and each counts as a search. */
  queries?: number;
  /** The form line says that the policy may name the source of a search. */
  choosesSource?: boolean;
  /** Its policy may look a text up on the page that was opened last. */
  looksUp?: boolean;
  /** Further lines of the instruction, in a dialect that has a place for them. */
  instruction?: readonly string[];
  /** The thought is read as mixtures of tokens, by an adapter with gates. */
  latent?: boolean;
  /** Follows the whole instruction of a policy whose tags are text. */
  strategy?: string | undefined;
}

interface DeclaredSystem {
  params: z.ZodObject;
  traits: (system: SystemSettings) => Traits;
}

const declared = new Map<string, DeclaredSystem>();

export const declareSystem = (id: string, system: DeclaredSystem): void => {
  declared.set(id, system);
};

/** The schema of a system's parameters; undefined where it declares none. */
export const paramsOf = (id: string): z.ZodObject | undefined => declared.get(id)?.params;

/** Traits of rollouts under these settings. */
export const traitsOf = ({ system }: { system?: SystemSettings | undefined }): Traits =>
  system === undefined ? {} : (declared.get(system.id)?.traits(system) ?? {});

/** Parameters of a declared system, checked by its schema. */
export const systemSchema = z
  .looseObject({ id: z.string({ error: 'name the system whose parameters these are' }) })
  .superRefine((system, context) => checkParams(system, declared, 'parameters', context));
