import { PACKED } from './paths.ts';

/**
 * JavaScript that starts a thread of the command.
 * @param of the folder of its `worker.ts`; in a package it is `train-worker.js`
 */
export const threadCode = (of: 'train' | 'pretrain'): string => {
  const entry = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  if (PACKED) return `import(${entry(`./${of}-worker.js`)})`;
  // A worker cannot start at a TypeScript file: tsx's loader must be registered inside it first.
  return `import(${JSON.stringify(import.meta.resolve('tsx/esm/api'))})
    .then(({ register }) => { register(); return import(${entry(`../${of}/worker.ts`)}); });`;
};
