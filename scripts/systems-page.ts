import { resolve } from 'node:path';
import { format } from 'oxfmt';
import { measuredPolicy, verdictsFor } from '../src/evaluate/study/signatures/measured.ts';
import { verdictWords } from '../src/evaluate/study/signatures/words.ts';
import { RECIPES } from '../src/recipes/index.ts';
import type { Recipe } from '../src/recipes/parts/recipe.ts';

export const SYSTEMS_FILE = resolve(import.meta.dirname, '../docs/systems.md');

const HEAD = `# Systems

What the recipes in \`src/recipes\` say of themselves, written by \`npx tsx scripts/systems-doc.ts\`. A published figure is its
paper's, on its benchmark and model; it is never to be compared with one measured here. Parts are described in
[methods.md](methods.md); the signature is what a run should show if the idea works. Beside it stands what studies of this
repository measured of it (\`training/studies\`, [studies.md](studies.md))${
  measuredPolicy ? `, with ${measuredPolicy.id}@${measuredPolicy.revision}` : ''
}: *shown* where the whole interval of the difference lies where the claim
wants it, *contradicted* where the whole of it lies elsewhere.
`;

/** What was measured of a signature, a line a claim. */
const measured = (id: string): string[] => {
  const verdicts = verdictsFor(id);
  return verdicts.length === 0
    ? ['Measured here: not measured.']
    : [
        'Measured here:',
        '',
        ...verdicts.map((one) => `- ${one.claim}: ${verdictWords(one)} (${one.compared}).`),
      ];
};

const variantsOf = ({ id, training }: Recipe): string =>
  training.map(({ name }) => `\`${id}/${name}\``).join(', ') || 'not trained';

const row = (recipe: Recipe): string => {
  const { title, about } = recipe;
  const paper = about ? `[${about.paper}](https://arxiv.org/abs/${about.paper})` : '–';
  return `| ${title} | ${paper} | ${about?.parts.join('; ') ?? '–'} | ${variantsOf(recipe)} |`;
};

const section = (recipe: Recipe): string => {
  const { id, title, summary, about } = recipe;
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
          '',
          ...measured(id),
        ]
      : []),
    ...(published
      ? ['', `Published: ${published.figure}, ${published.benchmark}, ${published.model}.`]
      : []),
    '',
  ].join('\n');
};

/** What docs/systems.md is to hold: what the recipes say of themselves. */
export async function systemsPage(): Promise<string> {
  const page = [
    HEAD,
    '| system | paper | parts | trained as |',
    '| --- | --- | --- | --- |',
    ...RECIPES.map(row),
    '',
    ...RECIPES.map(section),
  ].join('\n');
  return (await format(SYSTEMS_FILE, page)).code;
}
