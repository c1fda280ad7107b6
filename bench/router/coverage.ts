/**
 * How much the router is told beforehand: how often its feature "local coverage" alone says whether the
 * passage of a gold query lies in the local corpus (1) or not (0).
 *
 *   npx tsx bench/router/coverage.ts [--world DIR] [--split test]
 */
import { parseArgs } from 'node:util';
import { coverageOf } from '../../src/agent/router/coverage.ts';
import { fetchFromDisk } from '../../src/cli/shared/build-world.ts';
import { loadWorld } from '../../src/retrieval/world/load.ts';

const { values } = parseArgs({
  options: {
    world: { type: 'string', default: 'public/world' },
    split: { type: 'string', default: 'test' },
  },
});
const { local, questions } = await loadWorld(fetchFromDisk(values.world));
const titles = new Set(local.map((passage) => passage.title));
const coverage = coverageOf(local);
const queries = questions
  .filter((question) => question.split === values.split)
  .flatMap((question) => question.chain ?? [])
  .map(({ query, title }) => ({ coverage: coverage(query), local: titles.has(title) }));
const told = queries.filter((query) => query.coverage === Number(query.local)).length;
const here = queries.filter((query) => query.local).length;
console.log(
  `${values.split}: of ${queries.length} gold queries ${here} have their passage in the local corpus; ` +
    `the feature alone says which for ${told} of ${queries.length}.`,
);
