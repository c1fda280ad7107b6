import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What is held to the target, and the files or folders of each part. */
export const PARTS: Readonly<Record<string, readonly string[]>> = {
  agent: ['src/agent'],
  learn: ['src/learn'],
  retrieval: ['src/retrieval'],
  evaluate: ['src/evaluate'],
  formats: ['src/formats', 'src/base/float16.ts'],
  // Not its loading, its pages' messages and its servers, nor what runs on a graphics card: what computes.
  policy: [
    'src/base/random.ts',
    'src/policy/checkpoint/rope-config.ts',
    'src/policy/checkpoint/rope.ts',
    'src/policy/checkpoint/weights.ts',
    'src/policy/generation',
    'src/policy/lora',
    'src/policy/model',
    'src/policy/ops',
    'src/policy/wasm',
    'src/pretrain/policy/updater.ts',
  ],
};

/** Tests that are run: those of the core. The page's and the command line's go through it from afar. */
const TESTED = [
  'agent',
  'base',
  'evaluate',
  'formats',
  'learn',
  'policy',
  'pretrain',
  'recipes',
  'retrieval',
  'world',
];

function filesOf(place: string): string[] {
  if (/\.tsx?$/.test(place)) return [place];
  return readdirSync(place, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(place, entry.name);
      return entry.isDirectory() || /\.tsx?$/.test(entry.name) ? filesOf(path) : [];
    })
    .sort();
}

export const sourcesOf = (part: string): string[] =>
  (PARTS[part] ?? [])
    .flatMap(filesOf)
    .filter((file) => !file.endsWith('.d.ts') && !file.endsWith('.wasm.ts'));

export const testFiles = (): string[] =>
  TESTED.flatMap((folder) => filesOf(`test/${folder}`)).filter((file) =>
    /\.test\.tsx?$/.test(file),
  );
