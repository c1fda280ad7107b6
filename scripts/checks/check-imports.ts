/**
 * Imports go one way: ui, cli → lab → handover, pretrain → evaluate → systems → learn → agent → policy, retrieval, world →
 * formats → records → base. `recipes` are values that agent and everything above it read. The loop and the trainer know no
 * system: they find one in the registry that `systems` fills. The core knows no React, no DOM library and no storage.
 * Prints every import that goes another way.
 */
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { sourceFiles, specifiers, targetOf } from './source-files.ts';

const ground = ['base', 'records', 'formats'];
const models = [...ground, 'policy', 'retrieval', 'world', 'recipes'];
const core = [...models, 'agent', 'learn', 'systems', 'evaluate'];
const mayImport: Record<string, readonly string[]> = {
  base: [],
  records: ['base'],
  formats: ['base', 'records'],
  policy: ground,
  // The built-in encoder runs on the policy's kernels.
  retrieval: [...ground, 'policy/wasm'],
  world: ground,
  // Training settings name the matrices that an adapter may be laid beside.
  recipes: ['base', 'records', 'policy/lora'],
  agent: models,
  learn: [...models, 'agent'],
  systems: [...models, 'agent', 'learn'],
  evaluate: [...models, 'agent', 'learn', 'systems'],
  handover: core,
  pretrain: core,
  lab: [...core, 'handover'],
  ui: [...core, 'handover', 'lab'],
  cli: [...core, 'handover', 'pretrain', 'lab'],
};
/** Packages that one part alone may import. */
const reserved: readonly [packages: RegExp, part: string][] = [
  [/^(react|react-dom|@mantine\/|recharts|wouter|zustand|@tanstack\/)/, 'ui'],
  [/^(dexie|comlink)/, 'lab'],
];
/** Node's modules are for the command line and for what prepares Node for a policy. */
const nodeOnly = ['cli', 'policy/node'];

/** Results that were measured and are shown; with the adapters, all that is read outside src/. */
const measured = ['signatures', 'curves'].map((name) => `../training/studies/results/${name}.json`);

/** Trained adapters that the page offers. */
const adapters = /^\.\.\/training\/adapters\//;

/** What all pages are made of knows none of them. */
const isKit = /^ui\/kit\//;
const shared = /^ui\/(?:kit|lab)\//;

/** Why a file in `part` may not import `specifier`; undefined where it may. */
export function violation(file: string, specifier: string, src: string): string | undefined {
  const part = relative(src, file).split('/')[0] ?? '';
  if (!specifier.startsWith('.')) {
    const owner = reserved.find(([packages]) => packages.test(specifier))?.[1];
    if (owner !== undefined && owner !== part) return `only ${owner} may import ${specifier}`;
    const inside = relative(src, file);
    if (specifier.startsWith('node:') && !nodeOnly.some((own) => inside.startsWith(`${own}/`)))
      return `only cli may import ${specifier}`;
    return undefined;
  }
  const target = relative(src, targetOf(file, specifier));
  if (measured.includes(target) || (part === 'ui' && adapters.test(target))) return undefined;
  if (target.startsWith('..')) return `${specifier} leaves src/`;
  if (target.startsWith(`${part}/`)) {
    const page = isKit.test(relative(src, file)) && !shared.test(target);
    return page ? `the kit may not import a page: ${target}` : undefined;
  }
  const allowed = mayImport[part];
  if (!allowed) return `src/${part} is not a known part`;
  if (allowed.some((name) => target.startsWith(`${name}/`))) return undefined;
  return `${part} may not import ${target}`;
}

function main(): void {
  const src = resolve('src');
  const found = sourceFiles(src).flatMap((file) =>
    specifiers(readFileSync(file, 'utf8')).flatMap((specifier) => {
      const why = violation(file, specifier, src);
      return why === undefined ? [] : [`${relative('.', file)}: ${why}`];
    }),
  );
  for (const line of found) console.error(line);
  console.log(
    `imports: ${found.length === 0 ? 'all go the allowed way' : `${found.length} wrong`}`,
  );
  process.exitCode = found.length === 0 ? 0 : 1;
}

if (process.argv[1]?.endsWith('check-imports.ts')) main();
