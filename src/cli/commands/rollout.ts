import { stieText } from '../../agent/stie-counts.ts';
import type { Question } from '../../records/records.ts';
import { askedWith } from '../../agent/settings.ts';
import { summarizeRollouts, type Summary, type SummaryByHops } from '../../evaluate/summary.ts';
import { getRecipe } from '../../systems/index.ts';
import { withOverrides } from '../../recipes/parts/settings.ts';
import { checkSummaries, openSummarizerOf } from '../parts/summarizer.ts';
import { openParts, type Parts } from '../shared/parts.ts';
import type { OptionValues } from '../shared/options.ts';
import { selectQuestions } from '../shared/select-questions.ts';
import { openOutput, writeAll } from '../evaluate/output.ts';
import { runQuestions } from '../evaluate/run-questions.ts';
import { endProgress, print, say, type Command } from '../shared/command.ts';
import {
  ADAPTER_OPTIONS,
  overridesOf,
  partsOptions,
  PARTS_OPTIONS,
  QUESTION_OPTIONS,
  RECIPE_OPTIONS,
} from '../shared/shared-options.ts';

const percent = (value: number | null): string =>
  (value === null ? '–' : `${(100 * value).toFixed(1)} %`).padStart(8);

/** The summary as text. */
export function table(summary: SummaryByHops): string {
  const { long, outside, stie } = summary;
  const row = (name: string, s: Summary): string =>
    [
      name.padEnd(6),
      String(s.n).padStart(5),
      percent(s.em),
      percent(s.f1),
      percent(s.recall),
      s.searches.toFixed(2).padStart(9),
      percent(s.formatValid),
    ].join('  ');
  return [
    'hops        n        EM        F1    recall   searches    format',
    ...Object.entries(summary.byHops).map(([hops, s]) => row(hops, s)),
    row('all', summary),
    `${summary.tokensPerSecond.toFixed(0)} policy tokens/s`,
    ...(outside
      ? [
          `outside the tags ${outside.n}: EM ${percent(outside.em).trim()}, F1 ${percent(outside.f1).trim()}; not counted above, never rewarded`,
        ]
      : []),
    ...(long
      ? [
          `long answers ${long.n}: ROUGE-L ${percent(long.rougeL).trim()}, statements supported ${percent(long.supported).trim()}`,
        ]
      : []),
    ...(stie ? [`STIE ${stieText(stie)}`] : []),
  ].join('\n');
}

/** The questions that a call asks for. @throws UsageError where there is none */
export const select = ({ world }: Parts, values: OptionValues): Question[] =>
  selectQuestions(world.questions, values, 'test');

export const rolloutCommand: Command = {
  name: 'rollout',
  summary: 'runs a recipe on questions of a world and scores it',
  options: {
    ...RECIPE_OPTIONS,
    limit: { type: 'integer', value: 'N', help: 'questions', default: 50, min: 1 },
    group: {
      type: 'integer',
      value: 'G',
      help: 'rollouts per question',
      default: 1,
      min: 1,
      max: 64,
    },
    seed: { type: 'integer', value: 'S', help: 'seed of the sampling', default: 0, min: 0 },
    ...QUESTION_OPTIONS,
    ...PARTS_OPTIONS,
    ...ADAPTER_OPTIONS,
    out: { type: 'string', value: 'FILE', help: 'write the rollouts as JSON lines' },
    json: { type: 'boolean', help: 'print one JSON object and nothing else' },
  },
  async run(values, _positionals, lists) {
    const recipe = getRecipe(String(values.recipe));
    const overrides = overridesOf(values, lists);
    const summarizer = await openSummarizerOf(values);
    checkSummaries(recipe, withOverrides(recipe.settings, overrides), summarizer);
    const parts = await openParts({ ...partsOptions(values, lists), summarizer });
    endProgress();
    try {
      const questions = select(parts, values);
      const output = openOutput(values.out as string | undefined);
      const { rollouts, seconds } = await runQuestions(parts, questions, {
        recipe,
        overrides: askedWith(parts.deps.policy.info, overrides),
        group: Number(values.group),
        seed: Number(values.seed),
        onRollouts: (rollouts) => writeAll(output, rollouts),
      });
      const summary = summarizeRollouts(rollouts, seconds);
      print(values.json ? JSON.stringify(summary) : table(summary));
      if (values.out !== undefined) say(`${rollouts.length} rollouts written to ${values.out}`);
    } finally {
      parts.dispose();
    }
  },
};
