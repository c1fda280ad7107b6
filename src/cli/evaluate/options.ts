import { existsSync, readFileSync } from 'node:fs';
import { CustomSystemError, readCustomSystem } from '../../evaluate/systems/custom.ts';
import { readEvaluationFile } from '../../evaluate/systems/file.ts';
import {
  parseSpec,
  type EvaluationSpec,
  type QuestionsSource,
} from '../../evaluate/systems/spec.ts';
import { messageOf } from '../../base/errors.ts';
import { knownAs } from '../../recipes/parts/nearest.ts';
import { RECIPES } from '../../systems/index.ts';
import { sourcesOptions, THREAD_OPTIONS } from '../shared/shared-options.ts';
import { readRunAt } from '../train/folder.ts';
import { partsOf } from './tables.ts';
import {
  UsageError,
  type OptionLists,
  type OptionSpec,
  type OptionValues,
} from '../shared/options.ts';

/** Options of an evaluation of several systems. */
export const SYSTEMS_OPTIONS = {
  recipes: {
    type: 'string',
    value: 'A,B,C',
    help: 'systems to compare on the same questions, separated by commas, or all',
  },
  custom: {
    type: 'string',
    value: 'FILE',
    help: 'with --recipes: also your own system; may be repeated',
    multiple: true,
  },
  seeds: {
    type: 'string',
    value: '1,2,3',
    help: 'with --recipes: sampling seeds; each asks every question once (default: --seed)',
  },
  base: {
    type: 'boolean',
    help: 'with --recipes and --adapter or --run: also the model without the adapter',
  },
  reference: {
    type: 'string',
    value: 'ID',
    help: 'with --recipes: the row that the others are compared with (default: the first)',
  },
  by: {
    type: 'string',
    value: 'FORM,HOPS,SOURCE',
    help: 'with --recipes: also a table per type of question, number of hops or needed source; any of form, hops, source',
  },
  times: {
    type: 'boolean',
    help: 'with --recipes: also seconds per question, which differ between repeated calls',
  },
  estimate: {
    type: 'boolean',
    help: 'with --recipes: only estimate rollouts and minutes; rollouts timed for the estimate are kept',
  },
  repeat: {
    type: 'string',
    value: 'FILE',
    help: 'repeat the evaluation of this file (evaluation.json, or an export of the page), instead of --recipes',
  },
  threads: {
    ...THREAD_OPTIONS.threads,
    help: 'with --recipes: samplers; results do not depend on it',
  },
  markdown: { type: 'boolean', help: 'with --recipes: print the table as Markdown' },
  csv: { type: 'boolean', help: 'with --recipes: print the table as CSV' },
  latex: { type: 'boolean', help: 'with --recipes: print the table as LaTeX' },
} as const satisfies Record<string, OptionSpec>;

/** Options that do not apply to several systems, and what to do instead. */
const OF_ONE: Record<string, string> = {
  recipe: 'name them in --recipes',
  background: 'define the system in a file, --custom FILE',
  stie: 'define the system in a file, --custom FILE',
  set: 'define the system in a file, --custom FILE',
  hops: 'use --by hops',
  type: 'use --by form',
  compositions: 'leave it out',
  weights: 'leave it out',
  kv: 'leave it out',
  summarizer: 'the built-in extractive summarizer is used',
  'summarizer-model': 'the built-in extractive summarizer is used',
  rollouts: 'leave it out',
  engine: 'they search a world or files',
  'engine-calls': 'they search a world or files',
};

/** @throws UsageError for options of several systems without --recipes, or of one system with it */
export function checkSystemsOptions(values: OptionValues, lists: OptionLists): boolean {
  const several = values['recipes'] !== undefined || values['repeat'] !== undefined;
  const given = (name: string): boolean =>
    (values[name] !== undefined && name !== 'threads') || lists[name] !== undefined;
  if (!several) {
    const alone = Object.keys(SYSTEMS_OPTIONS).find(given);
    if (alone !== undefined)
      throw new UsageError(`--${alone} needs the systems to compare: --recipes A,B,C.`);
    return false;
  }
  if (values['recipes'] !== undefined && values['repeat'] !== undefined)
    throw new UsageError('--repeat has its own systems; give either it or --recipes.');
  const one = Object.keys(OF_ONE).find(given);
  if (one !== undefined)
    throw new UsageError(`--${one} does not apply to several systems: ${OF_ONE[one]}.`);
  if (values['device'] === 'webgpu')
    throw new UsageError('--recipes runs on the CPU; leave --device out.');
  return true;
}

const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

function recipesOf(text: string): string[] {
  if (text === 'all') return RECIPES.map(({ id }) => id);
  const ids = list(text);
  const unknown = ids.find((id) => !RECIPES.some((recipe) => recipe.id === id));
  const known = RECIPES.map(({ id }) => id);
  if (ids.length === 0 || unknown !== undefined)
    throw new UsageError(
      `--recipes has no system${unknown === undefined ? '' : ` "${unknown}"`}; ${knownAs(unknown ?? '', known, '“lab recipes”')}.`,
    );
  return ids;
}

const readFile = (path: string): string => {
  if (!existsSync(path)) throw new UsageError(`${path} is missing.`);
  return readFileSync(path, 'utf8');
};

function seedsOf(values: OptionValues): number[] {
  if (values['seeds'] === undefined) return [Number(values['seed'] ?? 0)];
  return list(String(values['seeds'])).map((text) => {
    if (!/^\d{1,10}$/u.test(text))
      throw new UsageError(`--seeds has '${text}'; it must be whole numbers: --seeds 1,2,3.`);
    return Number(text);
  });
}

function questionsOf(values: OptionValues, lists: OptionLists): QuestionsSource {
  const { world, corpus, questions } = sourcesOptions(values, lists);
  const split = (values['split'] ?? (questions === undefined ? 'test' : 'all')) as
    | 'train'
    | 'dev'
    | 'test'
    | 'all';
  const rest = { split, limit: Number(values['limit']) };
  if (typeof world === 'object') return { kind: 'fresh', ...world, ...rest };
  if (world === undefined && !corpus && questions === undefined)
    return { kind: 'built-in', ...rest };
  return {
    kind: 'files',
    ...(world !== undefined && { world }),
    ...(corpus && { corpus: [...corpus.files], method: corpus.method }),
    ...(questions !== undefined && { questions }),
    ...rest,
  };
}

/** The evaluation that the options describe. @throws UsageError, also with CustomSystemError's message */
export function specOf(
  values: OptionValues,
  lists: OptionLists,
): { name: string; spec: EvaluationSpec } {
  if (values['repeat'] !== undefined) {
    const path = String(values['repeat']);
    try {
      return readEvaluationFile(readFile(path));
    } catch (error) {
      throw error instanceof UsageError ? error : new UsageError(`${path}: ${messageOf(error)}`);
    }
  }
  const text = (name: string): string | undefined => values[name] as string | undefined;
  const customs = (lists['custom'] ?? []).map((path) => {
    try {
      return readCustomSystem(readFile(path));
    } catch (error) {
      if (error instanceof CustomSystemError) throw new UsageError(`${path}: ${error.message}`);
      throw error;
    }
  });
  const [policy, adapter, run] = [text('policy'), text('adapter'), text('run')];
  if (adapter !== undefined && run !== undefined)
    throw new UsageError('--adapter and --run exclude each other; give one of them.');
  partsOf(text('by'));
  const own = { kind: 'folders' as const, ...(policy !== undefined && { policy }) };
  const trained =
    run === undefined
      ? [{ ...own, ...(adapter !== undefined && { adapter }) }]
      : list(run).map((one) => {
          const { run: folder, step } = readRunAt(one);
          return { ...own, run: folder, ...(step !== null && { step }) };
        });
  const adapted = adapter !== undefined || run !== undefined;
  if (values['base'] === true && !adapted) throw new UsageError('--base needs --adapter or --run.');
  const { k, source } = values;
  try {
    const spec = parseSpec({
      format: 'forage.evaluation/1',
      systems: [...recipesOf(String(values['recipes'])), ...customs],
      policies: values['base'] === true ? [own, ...trained] : trained,
      questions: [questionsOf(values, lists)],
      seeds: seedsOf(values),
      retrieval: [{ ...(k !== undefined && { k }), ...(source !== undefined && { source }) }],
      temperature: Number(values['temperature']),
      routing: values['routing'] ?? 'argmax',
    });
    return { name: 'evaluation', spec };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`${messageOf(error)}.`);
  }
}
