import type { z } from 'zod';
import { declarations } from './declared.ts';
import type { SystemSettings } from './system.ts';

/** Gates of latent reasoning that a system trains beside the adapter's factors; a starts between `rMin` and `rMax`. */
export interface Gates extends SystemSettings {
  rMin: number;
  rMax: number;
}

interface DeclaredGates {
  params: z.ZodObject<{ rMin: z.ZodType<number>; rMax: z.ZodType<number> }>;
  /** Learning rates of their weights and of Λ; both follow the schedule of the factors' rate. */
  rates: (gates: Gates) => { weights: number; lambda: number };
}

export const { declared: declaredGates, schema: gatesSchema } = declarations<DeclaredGates, Gates>(
  'gates',
);
