import { readFile } from 'node:fs/promises';
import { missingGold } from '../../agent/fork/missing-gold.ts';
import { ForkError, type Fork } from '../../agent/fork/past.ts';
import { runFork } from '../../agent/run.ts';
import { readDemonstrations } from '../../learn/rl/demonstrations.ts';
import { messageOf } from '../../base/errors.ts';
import type { SearchTarget } from '../../records/hits.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import { openOutput, writeAll } from '../evaluate/output.ts';
import { endProgress, print, say, type Command } from '../shared/command.ts';
import { UsageError, type OptionValues } from '../shared/options.ts';
import { openParts } from '../shared/parts.ts';
import {
  overridesOf,
  partsOptions,
  ADAPTER_OPTIONS,
  PARTS_OPTIONS,
  RECIPE_OPTIONS,
} from '../shared/shared-options.ts';
import { checkSummaries, openSummarizerOf } from '../parts/summarizer.ts';
import { RECIPES } from '../../systems/index.ts';
import { withOverrides, type RecipeSettings } from '../../recipes/parts/settings.ts';
import { searchNumbers } from '../../records/searches.ts';
import { describeEvent } from './ask.ts';

const { recipe: _, ...SETTINGS_OPTIONS } = RECIPE_OPTIONS;

/** @throws UsageError where the file cannot be read or holds no such rollout */
async function recorded(path: string, id: string | undefined, vocabSize: number): Promise<Rollout> {
  let rollouts: Rollout[];
  try {
    rollouts = readDemonstrations(await readFile(path, 'utf8'), vocabSize);
  } catch (error) {
    throw new UsageError(`${path}: ${messageOf(error)}.`);
  }
  const [first, ...others] = id === undefined ? rollouts : rollouts.filter((one) => one.id === id);
  const ids = rollouts.slice(0, 8).map((one) => one.id);
  const some = `It holds ${rollouts.length}: ${ids.join(', ')}${rollouts.length > 8 ? ', …' : ''}.`;
  if (!first) throw new UsageError(`${path} has no rollout '${id ?? ''}'. ${some}`);
  if (id === undefined && others.length > 0) throw new UsageError(`Choose one with --id. ${some}`);
  return first;
}

const numbered = ({ events }: Rollout): string => {
  const searches = searchNumbers(events);
  return events
    .map((event, i) => `${String(i).padStart(3)}  ${describeEvent(event, searches[i] ?? null)}`)
    .join('\n');
};

async function forkOf(of: Rollout, values: OptionValues, retriever: Retriever): Promise<Fork> {
  const event = Number(values.event);
  const source = values['next-source'] as SearchTarget | undefined;
  return {
    of,
    event,
    source,
    ...(values.gold && { passages: await missingGold(retriever, { of, event }) }),
    ...(values.admit && { admit: true }),
    ...(values.hint !== undefined && { hint: String(values.hint) }),
  };
}

export const forkCommand: Command = {
  name: 'fork',
  summary:
    'forks a recorded rollout: continues it from one of its events, with or without a change',
  positional: { name: 'FILE', required: true },
  options: {
    id: {
      type: 'string',
      value: 'ID',
      help: 'which rollout of the file, where it has several',
    },
    event: {
      type: 'integer',
      value: 'N',
      help: 'the first event to generate again; without this option, the events are listed with their numbers',
      min: 0,
    },
    seed: {
      type: 'integer',
      value: 'S',
      help: "seed from that event on (default: the rollout's own random numbers continue)",
      min: 0,
    },
    'next-source': {
      type: 'string',
      help: 'source of the next search only',
      choices: ['local', 'web', 'both'],
    },
    gold: { type: 'boolean', help: 'put missing supporting passages first in the next result' },
    admit: { type: 'boolean', help: 'allow the next query even if STIE refuses it' },
    hint: {
      type: 'string',
      value: 'TEXT',
      help: 'text that the environment inserts at that event',
    },
    ...SETTINGS_OPTIONS,
    ...PARTS_OPTIONS,
    ...ADAPTER_OPTIONS,
    out: { type: 'string', value: 'FILE', help: 'write the rollout as one JSON line' },
    json: { type: 'boolean', help: 'print the rollout as one JSON object and nothing else' },
  },
  async run(values, [path = ''], lists) {
    const id = values.id as string | undefined;
    if (values.event === undefined) return print(numbered(await recorded(path, id, Infinity)));
    const summarizer = await openSummarizerOf(values);
    const parts = await openParts({ ...partsOptions(values, lists), summarizer });
    endProgress();
    try {
      const of = await recorded(path, id, parts.deps.policy.tokenizer.vocabSize);
      const overrides = overridesOf(values, lists);
      const then = of.recipe.settings as unknown as RecipeSettings;
      const recipe = RECIPES.find((one) => one.id === of.recipe.id) ?? { title: of.recipe.id };
      checkSummaries(recipe, withOverrides(then, overrides), summarizer);
      const fork = await forkOf(of, values, parts.deps.retriever);
      const output = openOutput(values.out as string | undefined);
      const known: Question | undefined = parts.world.questions.find(
        (q) => q.id === of.question.id,
      );
      const rollout = await runFork(parts.deps, fork, {
        rolloutId: `${of.id}-fork-${fork.event}`,
        overrides,
        ...(values.seed === undefined ? {} : { seed: Number(values.seed) }),
        ...(known?.text === of.question.text ? { question: known } : {}),
      });
      writeAll(output, [rollout]);
      print(values.json ? JSON.stringify(rollout) : numbered(rollout));
      if (values.out !== undefined) say(`the rollout was written to ${values.out}`);
    } catch (error) {
      if (error instanceof ForkError) throw new UsageError(error.message);
      throw error;
    } finally {
      parts.dispose();
    }
  },
};
