import type { z } from 'zod';
import { declarations } from './declared.ts';
import type { SystemSettings } from './system.ts';

/** What systems declare of the way they draw questions; their code is loaded with the first run. */

/** A run that begins; `searches`: its loop lets the policy search. */
export type BeginningRun = { steps: number; questions: number; searches: boolean };

interface DeclaredCurriculum {
  /** How it draws, after "questions are drawn". */
  draws: string;
  params: z.ZodObject;
  /** It draws by what rollouts of the run earned, so that no other trainer can draw by it. */
  learns: boolean;
  /** What else another trainer lacks to draw by it; null: nothing. */
  lacks: (system: SystemSettings) => string | null;
  /** Questions that it scores before the first draw, by how many rollouts each; null: none. */
  scores: (system: SystemSettings) => { pool: number; rollouts: number } | null;
  /** The same with fewer rollouts for each question, for a run that only tries. */
  scoredBy: (system: SystemSettings, rollouts: number) => SystemSettings;
  /** Its state counts the searches of rollouts as `retrievals`, beside `drawn`. */
  countsSearches: boolean;
  /** Why several servers cannot draw by it together, each of which sees its own rollouts; null where they can. */
  needsOneServer: (system: SystemSettings) => string | null;
  /** Why a run cannot begin with these settings, as one or two sentences; null where it can. */
  clash: (system: SystemSettings, run: BeginningRun) => string | null;
}

export const { declared: declaredCurricula, schema: systemCurriculumSchema } =
  declarations<DeclaredCurriculum>('curriculum');

type OfSystem = { system?: SystemSettings | null | undefined };

/** What the system of a curriculum declares; undefined where it names none. */
export const declaredCurriculum = ({ system }: OfSystem) =>
  system ? declaredCurricula.get(system.id) : undefined;

/** How questions are drawn, after "questions are drawn". */
export const drawsOf = (curriculum: OfSystem): string =>
  declaredCurriculum(curriculum)?.draws ?? 'uniformly';

/** Questions that are scored before the first draw, by how many rollouts each; null: none. */
export const scoringOf = ({ system }: OfSystem) =>
  (system && declaredCurricula.get(system.id)?.scores(system)) ?? null;
