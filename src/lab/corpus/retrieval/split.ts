import { fnv1a } from '../../../base/hash.ts';
import type { SplitName } from '../../../formats/import/values/split.ts';

/** Shares of imported questions, in percent: the rest is for training. */
const [TEST, DEV] = [15, 15];

/**
 * A place from 0 to 99 by a hash of an id, the same on every device, which does not change when others
 * are added. Seed 0 is what the page takes.
 */
function percentOf(id: string, seed: number): number {
  let hash = fnv1a(seed === 0 ? id : `${seed}\n${id}`);
  // Its low bits alone are not mixed well enough for short ids.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 12)) >>> 0) % 100;
}

const shareOf = (id: string, seed: number): SplitName => {
  const percent = percentOf(id, seed);
  if (percent < TEST) return 'test';
  return percent < TEST + DEV ? 'dev' : 'train';
};

/** The split of an imported question that names none: 70 % train, 15 % dev, 15 % test. */
export const splitOf = (id: string): SplitName => shareOf(id, 0);

/** How imported questions were split, for the record of a run. */
export interface QuestionSplit {
  /**
   * `field`: as the file says; `share`: by a hash of their ids; `field+share`: as the file says, but it
   * holds none out, so that a share of its training questions is.
   */
  by: 'field' | 'share' | 'field+share';
  /** Of the hash. */
  seed: number;
  train: number;
  dev: number;
  test: number;
  /** Questions that the file's field puts in none of the three: they are not used. */
  left: number;
}

export interface SplitQuestions<Q> {
  questions: (Q & { split?: SplitName })[];
  split: QuestionSplit;
}

/**
 * Puts questions in splits: by what their file says where it names some for training, else by a share
 * of their ids.
 */
export function splitQuestions<Q extends { id: string; split?: SplitName | undefined }>(
  given: readonly Q[],
  seed = 0,
): SplitQuestions<Q> {
  const named = given.some(({ split }) => split === 'train');
  const held = given.some(({ split }) => split === 'dev');
  const splitFor = ({ id, split }: Q): SplitName | undefined => {
    if (!named) return shareOf(id, seed);
    const holdsOut = !held && split === 'train' && percentOf(id, seed) < DEV;
    return holdsOut ? 'dev' : split;
  };
  const questions = given.map((question) => {
    const { split: _, ...rest } = question;
    const split = splitFor(question);
    return { ...rest, ...(split && { split }) } as Q & { split?: SplitName };
  });
  const count = (name: SplitName | undefined): number =>
    questions.filter(({ split }) => split === name).length;
  return {
    questions,
    split: {
      by: !named ? 'share' : held ? 'field' : 'field+share',
      seed,
      train: count('train'),
      dev: count('dev'),
      test: count('test'),
      left: count(undefined),
    },
  };
}

/** How they were split, in a line for the user. */
export function splitWords({ by, seed, train, dev, test, left }: QuestionSplit): string {
  const how = {
    field: 'as their file says',
    share: `by a hash of their ids (seed ${seed})`,
    'field+share': `as their file says, and as it holds none out, a share of its training questions by a hash of their ids (seed ${seed})`,
  }[by];
  const unused = left === 0 ? '' : `; ${left} in no split are left out`;
  return `${train} for training, ${dev} held out, ${test} for testing, ${how}${unused}`;
}
