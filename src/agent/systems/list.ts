import { actions } from './trained/actions.ts';
import { hinted } from './trained/hinted.ts';
import type { RecipeSettings } from '../../recipes/parts/settings.ts';
import { naive } from './naive.ts';
import { rationale } from './rationale.ts';
import { think } from './think.ts';
import type { Steps } from './parts/steps.ts';

/** Every loop but the think–search–answer one and those that systems bring. */
export const SYSTEMS: Readonly<
  Record<Exclude<RecipeSettings['loop'], 'agent' | 'program'>, (steps: Steps) => Promise<void>>
> = {
  'naive-rag': naive,
  'naive-generation': naive,
  think,
  rationale,
  actions,
  hinted,
};
