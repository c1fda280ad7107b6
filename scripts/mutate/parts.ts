import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What is held to the target, and the files or folders of each part. */
export const PARTS: Readonly<Record<string, readonly string[]>> = {
  agent: ['src/agent'],
  learn: ['src/learn'],
  retrieval: ['src/retrieval'],
  evaluate: ['src/evaluate'],
  formats: [
    'src/data/rollouts',
    'src/data/import',
    'src/data/parquet',
    'src/data/tokenizer',
    'src/data/float16.ts',
  ],
  // Not its loading, its pages' messages and its servers: what computes.
  policy: [
    'src/policy/backward.ts',
    'src/policy/each-head.ts',
    'src/policy/forward.ts',
    'src/policy/optimizer.ts',
    'src/policy/orthogonalise.ts',
    'src/policy/random.ts',
    'src/policy/rope-config.ts',
    'src/policy/rope.ts',
    'src/policy/train-batch.ts',
    'src/policy/train.ts',
    'src/policy/weights.ts',
    'src/policy/generation/kv-cache.ts',
    'src/policy/generation/layout.ts',
    'src/policy/generation/numeric.ts',
    'src/policy/generation/rotary.ts',
    'src/policy/generation/sampling.ts',
    'src/policy/generation/shapes.ts',
    'src/policy/lora/create.ts',
    'src/policy/lora/init.ts',
    'src/policy/lora/jax',
    'src/policy/lora/merge.ts',
    'src/policy/lora/spec.ts',
  ],
};

/** Tests that are run: those of the core. The page's and the command line's go through it from afar. */
const TESTED = ['agent', 'learn', 'retrieval', 'evaluate', 'data', 'policy', 'recipes', 'world'];

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
    .filter((file) => !file.endsWith('.d.ts') && !file.endsWith('.wasm.ts'))
    // Makes the shipped policy, with tests of its own command.
    .filter((file) => !file.startsWith('src/learn/warm-up/'));

export const testFiles = (): string[] =>
  TESTED.flatMap((folder) => filesOf(`test/${folder}`)).filter((file) =>
    /\.test\.tsx?$/.test(file),
  );
