import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(import.meta.url);

/** Whether this runs from an installed package, without the sources. */
export const PACKED = !here.endsWith('.ts');

const root = join(dirname(here), PACKED ? '..' : '../../..');

/** How the command is called. */
export const COMMAND_LINE = PACKED ? 'lab' : 'npm run -s lab --';

/** A path inside the project, wherever the command was started. */
export const projectPath = (name: string): string => join(root, name);

const shipped = existsSync(join(root, 'public')) ? 'public' : 'dist';

/** The folder of the policy, the world or the encoder that is built in: the page's own, in a package. */
export const builtIn = (name: 'policy' | 'world' | 'encoder'): string => join(root, shipped, name);
