import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** A path inside the project, wherever the command was started. */
export const projectPath = (name: string): string => join(root, name);
