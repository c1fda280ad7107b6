import { z } from 'zod';
import { issueOf } from '../../base/errors.ts';
import { costOfPattern } from './pattern.ts';
import { isObjectOrList } from '../../base/objects.ts';

/**
 * Checks a `tokenizer.json` before a tokenizer is made of it. The library takes every setting as it is:
 * an interval of no characters would be cut off for ever, replacements could make a text a billion times
 * longer, and a splitting pattern could try every way to read it.
 */

/** Far above published tokenizers (BERT: 100; Gemma: 6,242 added tokens). */
const MOST = {
  word: 500,
  added: 50_000,
  addedText: 1000,
  content: 64,
  growth: 64,
  steps: 100,
  depth: 20,
};

/** The library makes a list as long as the largest id: it must be one that a vocabulary can have. */
const id = z.int().nonnegative().max(2_000_000);

const schema = z.object({
  added_tokens: z
    .array(z.object({ id, content: z.string().max(MOST.addedText) }))
    .max(MOST.added)
    .nullish(),
  model: z.object({
    vocab: z.union([z.record(z.string(), id), z.array(z.tuple([z.string(), z.number()]))]),
    max_input_chars_per_word: z.int().positive().max(MOST.word).nullish(),
  }),
});

const pattern = z.union([z.object({ Regex: z.string() }), z.object({ String: z.string() })]);
const short = z.string().max(MOST.content);
const cut = z.int().min(0).max(1000);

/** Of steps whose settings decide how long a text becomes, or how long they take. */
const STEPS: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['FixedLength', z.object({ length: z.int().positive() })],
  ['Prepend', z.object({ prepend: short })],
  ['Replace', z.object({ pattern, content: short.nullish() })],
  ['Split', z.object({ pattern })],
  ['Metaspace', z.object({ replacement: short.nullish(), str_rep: short.nullish() })],
]);
const trimming = z.object({ content: z.string(), start: cut, stop: cut });

/** How many times longer a step can make a text. */
function growthOf(step: Record<string, unknown>): number {
  const text = (value: unknown): number => (typeof value === 'string' ? value.length : 0);
  if (step['type'] === 'Metaspace')
    return Math.max(1, text(step['replacement']), text(step['str_rep']));
  if (step['type'] !== 'Replace') return 1;
  const content = text(step['content']);
  const of = isObjectOrList(step['pattern']) ? text(step['pattern']['String']) : 0;
  // A regular expression may match one character, or none between two.
  return of > 0 ? Math.max(1, content / of) : content === 1 ? 1 : content + 1;
}

/** Steps of a normalizer, pre-tokenizer or decoder, those inside sequences included. */
function* stepsOf(
  value: unknown,
  path: string,
  depth = 0,
): Generator<[string, Record<string, unknown>]> {
  if (!isObjectOrList(value)) return;
  if (depth > MOST.depth) throw new Error(`${path}: it is nested too deep`);
  if (!Array.isArray(value)) yield [path, value];
  for (const name of ['normalizers', 'pretokenizers', 'decoders'])
    if (Array.isArray(value[name]))
      for (const [i, part] of value[name].entries())
        yield* stepsOf(part, `${path}.${name}.${i}`, depth + 1);
}

function checkStep(path: string, step: Record<string, unknown>): void {
  const { type } = step;
  if (typeof type !== 'string') throw new Error(`${path}.type: expected the name of a step`);
  const own = type === 'Strip' && path.startsWith('decoder') ? trimming : STEPS.get(type);
  const error = own?.safeParse(step).error;
  if (error) throw new Error(`${path}.${issueOf(error, type)}`);
  const regex = isObjectOrList(step['pattern']) ? step['pattern']['Regex'] : null;
  const cost = typeof regex === 'string' ? costOfPattern(regex) : null;
  if (cost !== null)
    throw new Error(`${path}.pattern.Regex: this pattern ${cost}, which can take for ever`);
}

/**
 * @param json a parsed `tokenizer.json`
 * @throws Error of one line that names the field at fault
 */
export function checkTokenizer(json: object): void {
  const { error } = schema.safeParse(json);
  if (error) throw new Error(issueOf(error));
  for (const part of ['normalizer', 'pre_tokenizer', 'decoder'] as const) {
    let growth = 1;
    let steps = 0;
    for (const [path, step] of stepsOf(Reflect.get(json, part), part)) {
      checkStep(path, step);
      growth *= growthOf(step);
      if (++steps > MOST.steps) throw new Error(`${part}: it has more than ${MOST.steps} steps`);
      if (growth > MOST.growth)
        throw new Error(`${path}: texts could become more than ${MOST.growth} times longer`);
    }
  }
}
