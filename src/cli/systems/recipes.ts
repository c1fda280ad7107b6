import { measuredPolicy, verdictsFor } from '../../evaluate/study/signatures/measured.ts';
import { RECIPES } from '../../recipes/index.ts';
import type { Recipe } from '../../recipes/parts/recipe.ts';
import { print, type Command } from '../shared/command.ts';

/** What `--json` says of one system. */
const entry = ({ id, title, summary, about, training }: Recipe) => ({
  id,
  title,
  summary,
  paper: about?.paper ?? null,
  kind: about?.kind ?? null,
  parts: about?.parts ?? [],
  departures: about?.departures ?? [],
  published: about?.published ?? null,
  signature: about?.signature ?? null,
  /** What studies measured of the signature; empty where none did. */
  measured: verdictsFor(id).map((verdict) => ({ ...verdict, policy: measuredPolicy })),
  variants: training.map((variant) => `${id}/${variant.name}`),
});

const line = ({ id, title, about, training }: Recipe): string => {
  const paper = about ? `arXiv ${about.paper}` : '';
  const variants = training.map(({ name }) => name).join(', ') || 'not trained';
  return `${id.padEnd(18)} ${title.padEnd(30)} ${paper.padEnd(17)} ${variants}`;
};

export const recipesCommand: Command = {
  name: 'recipes',
  summary: 'lists the systems, with their papers, parts, departures and signatures',
  options: { json: { type: 'boolean', help: 'print one JSON array' } },
  run(values) {
    print(
      values.json === true
        ? JSON.stringify(RECIPES.map(entry), null, 2)
        : RECIPES.map(line).join('\n'),
    );
    return Promise.resolve();
  },
};
