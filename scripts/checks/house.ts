/**
 * Sizes of the code, each with its target and its limit: the check fails where one is over its limit. Lower a limit in
 * `LIMITS` when a change makes the code smaller, so that it stays so.
 *
 * npm run house
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import type { z } from 'zod';
import { RECIPES } from '../../src/systems/index.ts';
import { recipeSettingsSchema } from '../../src/recipes/parts/settings.ts';
import { trainSettingsSchema } from '../../src/recipes/parts/training.ts';
import { idiomsIn } from './check-words.ts';
import { sourceFiles, targetOf } from './source-files.ts';

export interface Source {
  /** Relative to the repository. */
  path: string;
  text: string;
}

/** Specifiers of imports whose values are used: types need not be read to follow what runs. */
const valueImports = (text: string): string[] =>
  [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\s(?!type\b)[^'";]*?\bfrom\s*['"](\.[^'"]+)['"]/g,
    ),
  ].map((match) => match[1] ?? '');

/** All files that `entry` reaches by imports of values, itself too. */
export function reach(entry: string, files: ReadonlyMap<string, Source>): Source[] {
  const found = new Set<string>();
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const file = files.get(path);
    if (!file || found.has(path)) continue;
    found.add(path);
    open.push(...valueImports(file.text).map((one) => relative('.', targetOf(path, one))));
  }
  return [...found].map((path) => files.get(path)!);
}

/** Number of values that can be set: the fields of objects at every depth; of a union, those of its largest member. */
export function settingsIn(schema: z.core.$ZodType): number {
  const { def } = schema._zod;
  const inner = def as unknown as {
    innerType?: z.core.$ZodType;
    in?: z.core.$ZodType;
    options?: z.core.$ZodType[];
    shape?: Record<string, z.core.$ZodType>;
    element?: z.core.$ZodType;
  };
  switch (def.type) {
    case 'object':
      return Object.values(inner.shape ?? {}).reduce((sum, field) => sum + settingsIn(field), 0);
    case 'union':
      return Math.max(1, ...(inner.options ?? []).map(settingsIn));
    case 'array':
      return inner.element ? settingsIn(inner.element) : 1;
    case 'pipe':
      return inner.in ? settingsIn(inner.in) : 1;
    default:
      return inner.innerType ? settingsIn(inner.innerType) : 1;
  }
}

const lines = ({ text }: Source): number => text.split('\n').length - 1;
const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** The shared loop and trainer, without the systems that it is to know nothing of. */
const isCore = (path: string): boolean =>
  /^src\/(?:agent|learn|records|recipes\/parts)\//.test(path);

/** Whether a text names a published system in its code; where a constant comes from stays in comments. */
export function namesASystem(text: string, ids: readonly string[]): boolean {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*/g, '');
  return ids.some((id) => new RegExp(`['"/]${id}(?:['"/]|\\.ts)`).test(code));
}

/** Baselines that are no paper’s, and ids that are words of their own: `start` is a setting of training, too. */
const PLAIN = ['search', 'naive-rag', 'naive-generation', 'start'];

export interface Measured {
  name: string;
  now: number;
}

/** @param root of the repository */
export function measure(root: string): Measured[] {
  const sources: Source[] = sourceFiles(resolve(root, 'src')).map((file) => ({
    path: relative(root, file),
    text: readFileSync(file, 'utf8'),
  }));
  const files = new Map(sources.map((source) => [source.path, source]));
  const step = reach('src/learn/rl/step-update.ts', files);
  const core = sources.filter(({ path }) => isCore(path));
  const ids = RECIPES.map(({ id }) => id).filter((id) => !PLAIN.includes(id));
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '' && existsSync(resolve(root, path)));
  const bytes = (paths: readonly string[]): number =>
    sum(paths.map((path) => statSync(resolve(root, path)).size));
  const docs = tracked.filter((path) => /^docs\/.*\.md$/.test(path));
  const counted: Record<keyof typeof LIMITS, number> = {
    'settings of the loop': settingsIn(recipeSettingsSchema),
    'settings of training': settingsIn(trainSettingsSchema),
    'rewards in the core': sum(
      core.map(({ text }) => text.match(/= (?:fixed|weighted)Reward\(/g)?.length ?? 0),
    ),
    'files to read for a GRPO step': step.length,
    'lines to read for a GRPO step': sum(step.map(lines)),
    'files of the loop that mention STIE': core.filter(
      ({ path, text }) => path.startsWith('src/agent/') && /stie/i.test(text),
    ).length,
    'files of the core that name a system': core.filter(({ text }) => namesASystem(text, ids))
      .length,
    'files in src': sources.length,
    'folders in src, without one per system': new Set(
      sources
        .map(({ path }) => dirname(path))
        .filter((folder) => !/^src\/systems\/(?!parts)./.test(folder)),
    ).size,
    'lines in src': sum(sources.map(lines)),
    'zustand stores': sum(
      sources.map(({ text }) => text.match(/\bcreate(?:Store)?<.*>\(/g)?.length ?? 0),
    ),
    'MB tracked': Math.ceil(bytes(tracked) / 1e6),
    'kB of README': Math.ceil(statSync(resolve(root, 'README.md')).size / 1e3),
    'kB of docs, without pictures': Math.ceil(bytes(docs) / 1e3),
    'lines of src with an idiom': sum(sources.map(({ text }) => idiomsIn(text).length)),
  };
  return Object.entries(counted).map(([name, now]) => ({ name, now }));
}

/** By name: target and limit. Files, folders and lines have some room, so that a feature may add a file. */
export const LIMITS = {
  'settings of the loop': [50, 50],
  'settings of training': [65, 66],
  'rewards in the core': [20, 2],
  'files to read for a GRPO step': [10, 11],
  'lines to read for a GRPO step': [1200, 1518],
  'files of the loop that mention STIE': [12, 12],
  'files of the core that name a system': [0, 0],
  'files in src': [1250, 1662],
  'folders in src, without one per system': [160, 215],
  'lines in src': [160_000, 201_330],
  'zustand stores': [12, 12],
  'MB tracked': [60, 60],
  'kB of README': [8, 8],
  'kB of docs, without pictures': [110, 110],
  'lines of src with an idiom': [60, 0],
} as const satisfies Record<string, readonly [target: number, limit: number]>;

function main(): void {
  const rows = measure(process.cwd());
  let over = 0;
  console.log(
    `${'number'.padEnd(40)}${['now', 'target', 'limit'].map((one) => one.padStart(9)).join('')}`,
  );
  for (const { name, now } of rows) {
    const [target, limit] = LIMITS[name as keyof typeof LIMITS];
    const isOver = now > limit;
    if (isOver) over++;
    const cells = [now, target, limit].map((one) => one.toLocaleString('en').padStart(9));
    console.log(
      `${name.padEnd(40)}${cells.join('')}${isOver ? '  over its limit' : now <= target ? '  reached' : ''}`,
    );
  }
  const reached = rows.filter(
    ({ name, now }) => now <= LIMITS[name as keyof typeof LIMITS][0],
  ).length;
  console.log(
    `house: ${rows.length} numbers, ${reached} at their target, ${over} over their limit`,
  );
  process.exitCode = over === 0 ? 0 : 1;
}

if (process.argv[1]?.endsWith('house.ts')) main();
