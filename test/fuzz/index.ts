import type { Subject } from './subject.ts';
import { CHECKPOINT_SUBJECTS } from './subjects/checkpoints.ts';

/** Every parser that reads what a user or a server gives. */
export const SUBJECTS: readonly Subject[] = [...CHECKPOINT_SUBJECTS];
