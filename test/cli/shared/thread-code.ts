import { pathToFileURL } from 'node:url';
import { packedLab } from '../packed.ts';

let packed = false;

/**
 * Stands for `src/cli/shared/thread-code.ts` in commands that tests run inside their own process: threads start
 * as those of a package do, without a half second in which each reads TypeScript.
 */
export const threadCode = (of: 'train' | 'pretrain'): string => {
  if (!packed) packedLab();
  packed = true;
  return `import(${JSON.stringify(pathToFileURL(`packed/${of}-worker.js`).href)})`;
};
