/**
 * Tries questions of the dev split as Ask does with a visitor's first press (its recipe, seed 1), and prints
 * what the built-in policy made of them: for the choice of `src/ui/ask/store/examples.ts`, again with other weights.
 *
 *   npx tsx scripts/examples.ts [questions of each type, 6] [ids to try instead …]
 */
import { runGroup } from '../src/agent/run.ts';
import { openParts } from '../src/cli/shared/parts.ts';
import { DEFAULT_SETTINGS } from '../src/lab/contract/settings.ts';
import { getRecipe } from '../src/systems/index.ts';
import '../src/systems/rewards.ts';

const [count = '6', ...ids] = process.argv.slice(2);
const parts = await openParts({ device: 'wasm' });
const { deps, world } = parts;
const { recipe, seed } = DEFAULT_SETTINGS;

const tried = new Map<string, number>();
const chosen = world.questions.filter(({ id, split, type = '' }) => {
  if (ids.length > 0) return ids.includes(id);
  if (split !== 'dev') return false;
  const before = tried.get(type) ?? 0;
  tried.set(type, before + 1);
  return before < Number(count);
});

for (const question of chosen) {
  const [rollout] = await runGroup(deps, {
    question,
    recipe: getRecipe(recipe),
    seed,
    size: 1,
    runId: 'examples',
    groupId: question.id,
    step: 0,
  });
  if (!rollout?.metrics) continue;
  const routes = rollout.events.flatMap((event) => (event.kind === 'route' ? [event.choice] : []));
  const searches = rollout.events.filter(({ kind }) => kind === 'search').length;
  const changed = (over: 'answer' | 'query'): number =>
    rollout.events.filter(
      (event) => event.kind === 'verdict' && event.over === over && event.action !== 'kept',
    ).length;
  const { id, type = '', hops = 0, text } = question;
  const { em, f1 } = rollout.metrics;
  console.log(
    [
      id,
      type,
      hops,
      `em ${em}`,
      `f1 ${f1.toFixed(2)}`,
      searches,
      routes.join(' '),
      `${changed('query')} queries refused`,
      `${changed('answer')} answers changed`,
      text,
      rollout.answer,
    ].join(' | '),
  );
}
parts.dispose();
