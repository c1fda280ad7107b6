import { actions } from './trained/actions.ts';
import { chain } from './trained/chain.ts';
import { hinted } from './trained/hinted.ts';
import { oneStep } from './trained/one-step.ts';
import { planned } from './trained/plan.ts';
import type { RecipeSettings } from '../../recipes/parts/settings.ts';
import { chainVerify } from './chain-verify.ts';
import { draftRevise } from './draft-revise.ts';
import { interleave } from './interleave.ts';
import { iterate } from './iterate.ts';
import { lookAhead } from './look-ahead.ts';
import { naive } from './naive.ts';
import { rationale } from './rationale.ts';
import { reflect } from './reflect.ts';
import { rewriteRead } from './rewrite-read.ts';
import { roles } from './roles.ts';
import { think } from './think.ts';
import type { Steps } from './parts/steps.ts';

/** Every loop but the think–search–answer one. */
export const SYSTEMS: Readonly<
  Record<Exclude<RecipeSettings['loop'], 'agent'>, (steps: Steps) => Promise<void>>
> = {
  'naive-rag': naive,
  'naive-generation': naive,
  think,
  'rewrite-read': rewriteRead,
  interleave,
  iterate,
  'draft-revise': draftRevise,
  'look-ahead': lookAhead,
  reflect,
  'chain-verify': chainVerify,
  rationale,
  roles,
  actions,
  hinted,
  'one-step': oneStep,
  plan: planned,
  chain,
};
