import type { Subject } from './subjects/subject.ts';
import { CHECKPOINT_SUBJECTS } from './subjects/checkpoints.ts';
import { ENCODER_SUBJECTS } from './subjects/encoders.ts';
import { ENVIRONMENT_SUBJECTS } from './subjects/environment.ts';
import { GGUF_SUBJECTS } from './subjects/gguf.ts';
import { IMPORT_SUBJECTS } from './subjects/imports.ts';
import { OWN_SUBJECTS } from './subjects/own.ts';
import { SERVER_SUBJECTS } from './subjects/servers.ts';

/** Every parser that reads what a user or a server gives. */
export const SUBJECTS: readonly Subject[] = [
  ...CHECKPOINT_SUBJECTS,
  ...ENCODER_SUBJECTS,
  ...ENVIRONMENT_SUBJECTS,
  ...GGUF_SUBJECTS,
  ...IMPORT_SUBJECTS,
  ...OWN_SUBJECTS,
  ...SERVER_SUBJECTS,
];
