/**
 * Imports go one way: ui, cli → runs, evaluate → learn → agent → policy, retrieval. `recipes` are
 * values that agent and learn read; `data` and `world` are plain records that anyone may read. The
 * core knows no React and no DOM library. Prints every import that goes another way.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const core = ['data', 'world'];
const mayImport: Record<string, readonly string[]> = {
  data: [],
  // The generator writes protocol text, so it reads the protocol's names.
  world: ['data', 'agent/protocol.ts'],
  policy: ['data'],
  retrieval: ['data'],
  recipes: [...core, 'agent/protocol.ts', 'policy/lora/spec.ts'],
  agent: [...core, 'policy', 'retrieval', 'recipes'],
  learn: [...core, 'policy', 'retrieval', 'recipes', 'agent'],
  evaluate: [...core, 'policy', 'retrieval', 'recipes', 'agent', 'learn'],
  runs: [...core, 'policy', 'retrieval', 'recipes', 'agent', 'learn', 'evaluate'],
  ui: [...core, 'policy', 'retrieval', 'recipes', 'agent', 'learn', 'evaluate', 'runs'],
  cli: [...core, 'policy', 'retrieval', 'recipes', 'agent', 'learn', 'evaluate', 'runs'],
};
/** Packages that only the interface may import; Node's modules are for the CLI and `*-node.ts` files. */
const uiOnly = /^(react|react-dom|@mantine\/|recharts|wouter|zustand|@tanstack\/)/;
const pageOnly = ['ui'];
const nodeOnly = ['cli'];

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return files(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

/** Specifiers of static and dynamic imports and re-exports. */
export function specifiers(text: string): string[] {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\b[^'";]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? '');
}

/** Why a file in `part` may not import `specifier`; undefined where it may. */
export function violation(file: string, specifier: string, src: string): string | undefined {
  const part = relative(src, file).split('/')[0] ?? '';
  if (!specifier.startsWith('.')) {
    if (uiOnly.test(specifier) && !pageOnly.includes(part))
      return `only ui may import ${specifier}`;
    if (specifier.startsWith('node:') && !nodeOnly.includes(part) && !file.endsWith('-node.ts'))
      return `only cli may import ${specifier}`;
    return undefined;
  }
  const target = relative(src, resolve(dirname(file), specifier));
  if (target.startsWith('..')) return `${specifier} leaves src/`;
  if (target.startsWith(`${part}/`)) return undefined;
  const allowed = mayImport[part];
  if (!allowed) return `src/${part} is not a known part`;
  if (allowed.some((name) => target === name || target.startsWith(`${name}/`))) return undefined;
  return `${part} may not import ${target}`;
}

function main(): void {
  const src = resolve('src');
  const found = files(src).flatMap((file) =>
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
