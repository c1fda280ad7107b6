/**
 * What each mechanism does to EM, recall and searches with the built-in policy: every arm answers the
 * same questions with the same seeds; differences from the plain search loop are paired, with 95 %
 * bootstrap intervals over questions.
 *
 *   npm run -s lab -- bench mechanisms            (the built-in world)
 *   npx tsx bench/mechanisms/run.ts --world DIR --limit 300
 *
 * `--routing argmax` lets the router take the likelier source; it is sampled otherwise. `--arms A,B` runs
 * the arms whose names hold one of these.
 */
import { parseArgs } from 'node:util';
import { openParts } from '../../src/cli/shared/parts.ts';
import { runQuestions } from '../../src/cli/evaluate/run-questions.ts';
import { BASELINE_ARMS, MECHANISM_ARMS, type AblationArm } from './arms.ts';
import { compareArms, comparisonMarkdown, type Arm } from './compare.ts';
import { getRecipe } from '../../src/systems/index.ts';
import '../../src/systems/rewards.ts';

const ARMS: readonly AblationArm[] = [...MECHANISM_ARMS, ...BASELINE_ARMS.slice(0, 2)];

const { values } = parseArgs({
  options: {
    world: { type: 'string' },
    policy: { type: 'string' },
    limit: { type: 'string', default: '100' },
    seed: { type: 'string', default: '0' },
    arms: { type: 'string' },
    routing: { type: 'string', default: 'sampled' },
    json: { type: 'boolean', default: false },
  },
});

const parts = await openParts({ world: values.world, policy: values.policy, device: 'wasm' });
const questions = parts.world.questions
  .filter((question) => question.split === 'test')
  .slice(0, Number(values.limit));
const routing = values.routing === 'argmax' ? 'argmax' : 'sampled';
const arms: Arm[] = [];
for (const { name, recipe, overrides } of ARMS) {
  if (values.arms !== undefined && !values.arms.split(',').some((part) => name.includes(part)))
    continue;
  const { rollouts } = await runQuestions(parts, questions, {
    recipe: getRecipe(recipe),
    overrides: { ...overrides, nlr: { ...overrides.nlr, routing } },
    group: 1,
    seed: Number(values.seed),
    label: `${name}: `,
  });
  const failed = rollouts
    .flatMap((rollout) => rollout.events)
    .find((event) => event.kind === 'error' && event.what === 'policy');
  // A policy that broke down scores 0, which says nothing about the arm.
  if (failed?.kind === 'error') throw new Error(`${name}: ${failed.message}`);
  arms.push({ name, rollouts });
}
const comparison = compareArms(arms);
console.log(values.json ? JSON.stringify(comparison) : comparisonMarkdown(comparison));
parts.dispose();
