import type { Recipe } from '../../parts/recipe.ts';
import { afterCtm } from './after-ctm.ts';
import { agentDistillation } from './agent-distillation.ts';
import { arBench } from './ar-bench.ts';
import { cir } from './cir.ts';
import { collabRag } from './collab-rag.ts';
import { composeRag } from '../planned/compose-rag.ts';
import { corag } from './corag.ts';
import { cort } from './cort.ts';
import { dto } from './dto.ts';
import { ragGym } from './rag-gym.ts';
import { rare } from './rare.ts';
import { select2Reason } from './select2reason.ts';
import { start } from './start.ts';

/** Systems that are not search agents trained by reinforcement learning, or that are trained for other tools. */
export const OTHERWISE: readonly Recipe[] = [
  corag,
  collabRag,
  ragGym,
  rare,
  start,
  agentDistillation,
  select2Reason,
  dto,
  cort,
  cir,
  afterCtm,
  arBench,
  composeRag,
];
