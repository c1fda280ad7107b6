import { isObject } from '../../base/objects.ts';
import { parseJson } from './json.ts';
import { parsePython } from './python.ts';

/**
 * Gold answers, the most telling first. `answer` may be the model's own where another of them is there, so
 * it comes late; `solution` is often the worked way to an answer that is beside it.
 */
export const GOLD_KEYS = [
  'ground_truth',
  'golden_answers',
  'golden_answer',
  'gold_answers',
  'gold_answer',
  'gold',
  'gts',
  'target',
  'reward_spec',
  'reward_model',
  'reference_answer',
  'expected_answer',
  'correct_answer',
  'reference',
  'ideal',
  'label',
  'answers',
  'answer',
  'solution',
] as const;

/** DeepResearcher's files join the answers of a question by it. */
const SPLIT = '<|answer_split|>';

const isNamed = (value: unknown): boolean =>
  isObject(value) && GOLD_KEYS.some((key) => Object.hasOwn(value, key));

const holdsText = (value: unknown): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.some(holdsText));

function attempt(parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/**
 * The list or object of answers that a text is: JSON, or as Python or numpy print it (`['Albi' 'City of Albi']`).
 * Null for a text that is an answer itself, such as the interval [0, 1].
 */
function answersWithin(text: string): unknown {
  if (!/^\s*(?:[[({]|array\()/.test(text)) return null;
  const value = attempt(() => parseJson(text)) ?? attempt(() => parsePython(text.trim()));
  return (Array.isArray(value) && holdsText(value)) || isNamed(value) ? value : null;
}

/** TriviaQA has {value, aliases}, SQuAD {text: [], answer_start: []}. */
function aliasesOf(value: Record<string, unknown>): unknown {
  if (Array.isArray(value['aliases'])) return [value['value'], ...(value['aliases'] as unknown[])];
  return Object.hasOwn(value, 'answer_start') ? value['text'] : undefined;
}

/** The answers of the first that has any. */
export function firstAnswers(values: Iterable<unknown>): string[] {
  for (const value of values) {
    const answers = answersOf(value);
    if (answers.length > 0) return answers;
  }
  return [];
}

/**
 * Gold answers as text, out of everything that data sets and training code keep them in: a text, a number, a list
 * (also of lists, also as the text that JSON, Python or numpy write for it), or an object that holds them under one
 * of the usual keys. Empty where there is none.
 */
export function answersOf(value: unknown): string[] {
  if (typeof value === 'string') {
    const within = answersWithin(value);
    if (within !== null) return answersOf(within);
    return value.split(SPLIT).filter((answer) => answer.trim() !== '');
  }
  if (['number', 'bigint', 'boolean'].includes(typeof value)) return [String(value)];
  if (Array.isArray(value)) return value.flatMap(answersOf);
  if (!isObject(value)) return [];
  const aliases = aliasesOf(value);
  if (aliases !== undefined) return answersOf(aliases);
  const given = GOLD_KEYS.filter((key) => Object.hasOwn(value, key)).map((key) => value[key]);
  return firstAnswers(
    given.map((inner) =>
      isObject(inner) && !isNamed(inner) && aliasesOf(inner) === undefined
        ? Object.values(inner)
        : inner,
    ),
  );
}
