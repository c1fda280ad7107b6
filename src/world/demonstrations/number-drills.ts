import { present } from '../../base/items.ts';
import type { KeyedRandom } from '../../base/random.ts';
import { inBlock } from '../../records/protocol.ts';
import { drawNames } from '../facts/names.ts';
import type { Kind } from '../schema/kinds.ts';
import type { TextTokenizer, TokenizedTrajectory } from './trajectory.ts';
import { sumOf, yearsBetween, type Worked } from './numbers.ts';

/**
 * Exercises in working with two values, as a demonstration's thought does: the years between, a sum, the
 * lower or higher count. A question about numbers has one such line among hundreds of tokens, so that
 * questions alone teach it last. The mask (1) trains what is worked out.
 */

const NAMED: readonly (readonly [Kind, label: string, of: 'years' | 'counts' | 'lengths'])[] = [
  ['film', 'release year', 'years'],
  ['book', 'publication year', 'years'],
  ['person', 'birth year', 'years'],
  ['company', 'founding year', 'years'],
  ['university', 'founding year', 'years'],
  ['city', 'population', 'counts'],
  ['company', 'staff', 'counts'],
  ['university', 'students', 'counts'],
  ['river', 'length', 'lengths'],
];

const VALUES = {
  years: (rng: KeyedRandom) => rng.between(1900, 2024),
  counts: (rng: KeyedRandom) => rng.between(10, 99) * 100,
  lengths: (rng: KeyedRandom) => rng.between(1000, 4999),
} as const;

const worked = ({ work }: Worked, goal: string, result: number): string =>
  `${work} . ${goal} is ${result}`;

/** Two values of two names, and what follows. */
const drill = (rng: KeyedRandom): { before: string; after: string } => {
  const [kind, label, of] = rng.pick(NAMED);
  const [a = '', b = ''] = rng.sample(drawNames(rng, kind, 4), 2);
  const x = VALUES[of](rng);
  let y = VALUES[of](rng);
  while (y === x) y = VALUES[of](rng);
  const before = `${label} of ${a} is ${x} . ${label} of ${b} is ${y}`;
  if (of === 'years') {
    const between = yearsBetween(x, y);
    return { before, after: worked(between, 'difference', between.result) };
  }
  if (of === 'counts' && rng.chance(0.35)) {
    const goal = rng.pick(['fewer', 'more']);
    const winner = x < y === (goal === 'fewer') ? a : b;
    return { before: `${before} . ${a} ${x} , ${b} ${y}`, after: `${goal} is ${winner}` };
  }
  const sum = sumOf(x, y);
  return { before, after: worked(sum, 'sum', sum.result) };
};

/** One exercise: a thought whose end is trained. */
export const numberDrill = (rng: KeyedRandom, tokenizer: TextTokenizer): TokenizedTrajectory => {
  const { before, after } = drill(rng);
  const open = present(tokenizer.specialId('<think>'), 'the token <think>');
  const close = present(tokenizer.specialId('</think>'), 'the token </think>');
  const lead = [open, ...tokenizer.encodeText(inBlock(`${before} .`))];
  const rest = tokenizer.encodeText(inBlock(after));
  const end = [...tokenizer.encodeText(inBlock('. done .')), close];
  const mask = (ids: readonly number[], value: 0 | 1): (0 | 1)[] => ids.map(() => value);
  return {
    ids: [...lead, ...rest, ...end],
    mask: [...mask(lead, 0), ...mask(rest, 1), ...mask(end, 0)],
  };
};
