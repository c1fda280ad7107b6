import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { RECIPES } from '../src/recipes/index.ts';
import type { Recipe } from '../src/recipes/parts/recipe.ts';

/** Writes docs/systems.md from the recipes; with --check it says whether the file is as they have it. */

const FILE = resolve(import.meta.dirname, '../docs/systems.md');

const HEAD = `# Systems

What the recipes in \`src/recipes\` say of themselves, written by \`npx tsx scripts/systems-doc.ts\`. A published figure is its
paper's, on its benchmark and model; it is never to be compared with one measured here. Parts are described in
[methods.md](methods.md); the signature is what a run should show if the idea works.
`;

const variantsOf = ({ id, training }: Recipe): string =>
  training.map(({ name }) => `\`${id}/${name}\``).join(', ') || 'not trained';

const row = (recipe: Recipe): string => {
  const { title, about } = recipe;
  const paper = about ? `[${about.paper}](https://arxiv.org/abs/${about.paper})` : '–';
  return `| ${title} | ${paper} | ${about?.parts.join('; ') ?? '–'} | ${variantsOf(recipe)} |`;
};

const section = (recipe: Recipe): string => {
  const { title, summary, about } = recipe;
  const published = about?.published;
  return [
    `## ${title}`,
    '',
    summary,
    ...(about
      ? [
          '',
          'Departures:',
          '',
          ...about.departures.map((departure) => `- ${departure}`),
          '',
          `Signature: ${about.signature}`,
        ]
      : []),
    ...(published
      ? ['', `Published: ${published.figure}, ${published.benchmark}, ${published.model}.`]
      : []),
    '',
  ].join('\n');
};

const page = [
  HEAD,
  '| system | paper | parts | trained as |',
  '| --- | --- | --- | --- |',
  ...RECIPES.map(row),
  '',
  ...RECIPES.map(section),
].join('\n');

const options = await resolveConfig(FILE);
const text = await format(page, { ...options, parser: 'markdown' });
if (process.argv.includes('--check')) {
  const same = readFileSync(FILE, 'utf8') === text;
  console.log(same ? 'docs/systems.md is as the recipes have it' : 'docs/systems.md is not');
  process.exitCode = same ? 0 : 1;
} else writeFileSync(FILE, text);
