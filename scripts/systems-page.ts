import { join, resolve } from 'node:path';
import { format } from 'oxfmt';
import { measuredPolicy, verdictsFor } from '../src/evaluate/study/signatures/measured.ts';
import { unmeasuredOf } from '../src/evaluate/study/signatures/unmeasured.ts';
import { verdictWords } from '../src/evaluate/study/signatures/words.ts';
import { RECIPES } from '../src/systems/index.ts';
import type { Recipe } from '../src/recipes/parts/recipe.ts';
import { constantsOf, type Constant } from '../src/recipes/parts/sources.ts';
import { SWITCHES } from '../src/recipes/switches/list.ts';
import { rewardOf } from '../src/recipes/switches/put.ts';
import type { Switch } from '../src/recipes/switches/switch.ts';

const docs = resolve(import.meta.dirname, '../docs');
/** All that recipes and switches say; too long to be kept, so it is written when somebody wants to read it. */
export const SYSTEMS_FILE = join(docs, 'systems.md');
/** One line per system and switch. */
export const SYSTEMS_LIST_FILE = join(docs, 'systems-list.md');

const HEAD = `# Systems

What the recipes in \`src/recipes\` say of themselves, written by \`npx tsx scripts/systems-doc.ts\`. A published figure is its
paper's, on its benchmark and model; do not compare it with one measured here. A table says where constants are from; what it
does not name is of this repository: learning rate, batch and steps are sized for a small model. Parts are described in
[methods.md](methods.md). The expected effect is what a run should show if the method works. Below it is what studies of this
repository measured of it (\`training/studies\`, [studies.md](studies.md))${
  measuredPolicy ? `, with ${measuredPolicy.id}@${measuredPolicy.revision}` : ''
}: *supported* where the whole interval of the difference is on the side that the claim
names, *not supported here* where it is on the other side, else *inconclusive*. What papers change in how any system is trained is after the
systems: [switches of training](#switches-of-training).
`;

const LIST_HEAD = `# Systems

Each system of \`src/systems/index.ts\` with its paper (arXiv) and its trainings. \`npx tsx scripts/systems-doc.ts\` writes this list, and \`systems.md\` beside it, which git ignores:
differences from the paper, sources of constants, published figures, expected effect and what was measured of it. \`lab recipes --json\` prints the same.
`;

const LIST_SWITCHES_HEAD = `## Switches of training

What a paper changes in the training of any system: \`lab train --recipe search-r1/grpo --switch speed-rl\`.
`;

const SWITCHES_HEAD = `## Switches of training

What papers change in how a system is trained, whatever the system: of its questions, its loss or its reward. Each goes over
any recipe that is trained by reinforcement learning, as far as it fits: \`lab train --recipe search-r1/grpo --switch speed-rl\`,
several by commas; in the form of a new run by its name in the fold *Switches of papers*; in a study as the settings below, in
\`training\` of an arm. Two that change the same setting cannot be on together. *Measured here* is as above.
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
        ...(unmeasuredOf(id).length > 0
          ? ['', `Not measured of it: ${unmeasuredOf(id).join('; ')}.`]
          : []),
      ];
};

type About = Recipe['about'] | Switch['about'];

const variantsOf = ({ id, training }: Recipe): string =>
  training.map(({ name }) => `\`${id}/${name}\``).join(', ') || 'not trained';

const listLine = (recipe: Recipe): string => {
  const { id, title, about, training } = recipe;
  const runs = training.length > 0 ? variantsOf(recipe) : `\`${id}\`, not trained`;
  return `- ${title}${about ? ` (${about.paper})` : ''}: ${runs}`;
};

const row = (recipe: Recipe): string => {
  const { title, about } = recipe;
  const paper = about ? `[${about.paper}](https://arxiv.org/abs/${about.paper})` : '–';
  return `| ${title} | ${paper} | ${about?.parts.join('; ') ?? '–'} | ${variantsOf(recipe)} |`;
};

/** As JSON with blanks, of a line. */
const inLine = (value: unknown): string => JSON.stringify(value, null, 1).replaceAll(/\s+/gu, ' ');

/** Constants with where they are from, a row each; a reward's are in its file. */
const sources = (one: Recipe | Switch): string[] => {
  const constants = constantsOf(one);
  const valueOf = ({ constant, value }: Constant): string =>
    constant.startsWith('reward.') ? 'its file' : `\`${inLine(value)}\``;
  return constants.length === 0
    ? []
    : [
        '',
        '| constant | here | from |',
        '| --- | --- | --- |',
        ...constants.map((each) => `| \`${each.constant}\` | ${valueOf(each)} | ${each.from} |`),
      ];
};

/** All that is said of a system or a switch under its title. */
const body = (one: Recipe | Switch): string[] => {
  const { id, summary } = one;
  const about: About = one.about;
  return [
    summary,
    ...(about
      ? [
          '',
          'Departures:',
          '',
          ...about.differences.map((departure) => `- ${departure}`),
          '',
          `Expected effect: ${about.expectedEffect}`,
          '',
          ...measured(id),
        ]
      : []),
    ...(about?.published
      ? [
          '',
          `Published: ${about.published.figure}, ${about.published.benchmark}, ${about.published.model}.`,
        ]
      : []),
    ...sources(one),
    '',
  ];
};

const section = (recipe: Recipe): string => [`## ${recipe.title}`, '', ...body(recipe)].join('\n');

const switchRow = ({ id, title, about, changes }: Switch): string =>
  `| ${title} | [${about.paper}](https://arxiv.org/abs/${about.paper}) | ${about.parts.join('; ')} | \`--switch ${id}\` | \`${inLine(changes)}\` |`;

const switchSection = (one: Switch): string => {
  const reward = rewardOf(one);
  return [
    `### ${one.title}`,
    '',
    `\`--switch ${one.id}\`${reward === null ? '' : `, which changes the reward of every stage to \`${reward}\``}.`,
    '',
    ...body(one),
  ].join('\n');
};

/** What systems.md is to hold: what recipes and switches of training say of themselves. */
export async function systemsPage(): Promise<string> {
  const page = [
    HEAD,
    '| system | paper | parts | trained as |',
    '| --- | --- | --- | --- |',
    ...RECIPES.map(row),
    '',
    ...RECIPES.map(section),
    SWITCHES_HEAD,
    '| switch | paper | parts | switched on by | settings |',
    '| --- | --- | --- | --- | --- |',
    ...SWITCHES.map(switchRow),
    '',
    ...SWITCHES.map(switchSection),
  ].join('\n');
  return (await format(SYSTEMS_FILE, page)).code;
}

/** What docs/systems-list.md is to hold. */
export async function systemsList(): Promise<string> {
  const page = [
    LIST_HEAD,
    ...RECIPES.map(listLine),
    '',
    LIST_SWITCHES_HEAD,
    ...SWITCHES.map(({ id, title, about }) => `- ${title} (${about.paper}): \`${id}\``),
  ].join('\n');
  return (await format(SYSTEMS_LIST_FILE, page)).code;
}
