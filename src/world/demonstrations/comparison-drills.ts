import { drawNames } from '../facts/names.ts';
import { KeyedRandom } from '../../base/random.ts';
import { inBlock } from '../../records/protocol.ts';
import type { TextTokenizer, TokenizedTrajectory } from './trajectory.ts';
import { present } from '../../base/items.ts';

/**
 * Exercises in setting two values side by side. A comparison decides one token of a trajectory of
 * hundreds, so that trajectories alone teach it last; here every sequence decides a dozen. Each thought
 * ends as a demonstration's would ("A 1931 , B 1942 . earlier is A . done ."), about names of a fresh
 * world, and the mask (1) trains the verdict alone.
 */

/** What is compared, as `relations.ts` names it, and between which values it lies. */
const COMPARED = [
  { kind: 'person', label: 'birth year', from: 1900, to: 1990, goals: 'year' },
  { kind: 'film', label: 'release year', from: 1920, to: 2024, goals: 'year' },
  { kind: 'book', label: 'publication year', from: 1920, to: 2024, goals: 'year' },
  { kind: 'company', label: 'founding year', from: 1900, to: 2024, goals: 'year' },
  { kind: 'university', label: 'founding year', from: 1900, to: 2024, goals: 'year' },
  { kind: 'river', label: 'length', from: 1000, to: 4999, goals: 'length' },
] as const;
const GOALS = { year: ['earlier', 'later'], length: ['shorter', 'longer'] } as const;

/** Values closer than this are not compared, as in questions. */
const LEAST_DIFFERENCE = 3;

/** One exercise: a thought whose verdict is trained. */
export const comparisonDrill = (
  rng: KeyedRandom,
  tokenizer: TextTokenizer,
): TokenizedTrajectory => {
  const { before, verdict } = drill(rng);
  const open = present(tokenizer.specialId('<think>'), 'the token <think>');
  const close = present(tokenizer.specialId('</think>'), 'the token </think>');
  const lead = [open, ...tokenizer.encodeText(inBlock(before))];
  const answer = tokenizer.encodeText(inBlock(verdict));
  const end = [...tokenizer.encodeText(inBlock('. done .')), close];
  return {
    ids: [...lead, ...answer, ...end],
    mask: [
      ...lead.map(() => 0 as const),
      ...answer.map(() => 1 as const),
      ...end.map(() => 0 as const),
    ],
  };
};

const drill = (rng: KeyedRandom): { before: string; verdict: string } => {
  const { kind, label, from, to, goals } = rng.pick(COMPARED);
  const [a = '', b = ''] = rng.sample(drawNames(rng, kind, 10), 2);
  const first = rng.between(from, to);
  let second = first;
  while (Math.abs(second - first) < LEAST_DIFFERENCE) second = rng.between(from, to);
  const goal = rng.pick(GOALS[goals]);
  const lower = goal === GOALS[goals][0];
  const verdict = first < second === lower ? a : b;
  return {
    before: `${label} of ${b} is ${second} . ${a} ${first} , ${b} ${second} . ${goal} is`,
    verdict,
  };
};

export const drillsRng = (seed: number, index: number): KeyedRandom =>
  new KeyedRandom(seed, 4, index);
