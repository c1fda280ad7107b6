import { describe, expect, test } from 'vitest';
import { COURSE_NUMBERS } from '../../../src/evaluate/study/course-numbers.ts';
import { courseVerdicts, courseWords } from '../../../src/evaluate/study/course-verdicts.ts';
import type { CurvePoint } from '../../../src/evaluate/study/course-point.ts';
import type { Curve } from '../../../src/evaluate/study/curves.ts';
import { courseClaimSchema, type CourseClaim } from '../../../src/evaluate/study/file/course.ts';
import { readStudy } from '../../../src/evaluate/study/file/read.ts';
import { verdictsSchema } from '../../../src/evaluate/study/signatures/verdict.ts';
import { verdictWords } from '../../../src/evaluate/study/signatures/words.ts';
import { studyJson } from './study-file.ts';

const point = (step: number, change: Partial<CurvePoint> = {}): CurvePoint => ({
  step,
  reward: 0.5,
  em: 0.5,
  searches: 1,
  heldOut: null,
  seconds: 1,
  ...change,
});

/** Steps from 1 with these rewards; exact match is 0.5 in each. */
const curve = (arm: string, rewards: number[], seed = 1): Curve => ({
  arm,
  seed,
  trainWorld: 'w',
  points: [
    point(0, { reward: null, em: null, searches: null }),
    ...rewards.map((reward, i) => point(i + 1, { reward })),
  ],
});

const claim = (change: Partial<CourseClaim>): CourseClaim =>
  courseClaimSchema.parse({
    recipe: 'arpo',
    claim: 'It goes up',
    number: 'reward',
    arm: 'a',
    expect: 'higher',
    ...change,
  });

const verdict = (change: Partial<CourseClaim>, ...curves: Curve[]) => {
  const options = { study: 's', worlds: ['w'], interval: { resamples: 400 } };
  const [one] = courseVerdicts([claim(change)], curves, options);
  if (!one) throw new Error('no verdict');
  return one;
};

describe('a claim about the course of a training', () => {
  const a = curve('a', [0.2, 0.4, 0.6, 0.8]);
  const b = curve('b', [0.1, 0.2, 0.3, 0.4]);

  test('compares steps with the same steps of another, or with a value', () => {
    const against = verdict({ against: 'b' }, a, b);
    expect(against.difference?.mean).toBeCloseTo(0.25);
    expect([against.n, against.seeds, against.worlds]).toEqual([4, [1], ['w']]);
    expect(verdict({ than: 0.6 }, a).difference?.mean).toBeCloseTo(-0.1);
    expect(verdict({ than: 0.6, steps: { from: 3, to: 4 } }, a).difference?.mean).toBeCloseTo(0.1);
  });

  test('counts rollouts up to a step for each point of held-out EM', () => {
    const course = (arm: string, made: number, em: number): Curve => ({
      arm,
      seed: 1,
      trainWorld: 'w',
      points: [1, 2, 3, 4].map((step) =>
        point(step, {
          rollouts: made,
          heldOut: step % 2 === 0 ? { n: 8, em, f1: em, searches: 1 } : null,
        }),
      ),
    });
    const { difference, n } = verdict(
      { number: 'rolloutsForEm', against: 'b', expect: 'lower' },
      course('a', 40, 0.8),
      course('b', 64, 0.8),
    );
    // 80 and 160 for 80 points, 128 and 256 for as many.
    expect(difference?.mean).toBeCloseTo((1 + 2) / 2 - (1.6 + 3.2) / 2);
    expect(n).toBe(2);
  });

  test('or later steps with earlier ones', () => {
    const later = { steps: { from: 3, to: 4 }, unlike: { from: 1, to: 2 } };
    expect(verdict(later, a).difference?.mean).toBeCloseTo(0.4);
    expect(verdict(later, a).outcome).toBe('shown');
    // The other's rise taken off: 0.4 − 0.2.
    expect(verdict({ ...later, against: 'b' }, a, b).difference?.mean).toBeCloseTo(0.2);
    expect(verdict({ ...later, expect: 'lower' }, a).outcome).toBe('contradicted');
  });

  test('is a mean over seeds that have the same steps', () => {
    const both = verdict({ than: 0 }, a, curve('a', [0.4, 0.6, 0.8, 1], 2));
    expect(both.difference?.mean).toBeCloseTo(0.6);
    expect(both.seeds).toEqual([1, 2]);
  });

  test('is not measured where a training is missing, or kept no such number', () => {
    expect(verdict({ against: 'b' }, a).outcome).toBe('not measured');
    expect(verdict({ number: 'clipShare', than: 0 }, a)).toMatchObject({
      outcome: 'not measured',
      difference: null,
      n: 0,
    });
  });

  test('says what was compared, over steps', () => {
    const own = {
      against: 'b',
      steps: { from: 3, to: 4 },
      unlike: { from: 1, to: 2 },
    };
    expect(courseWords(claim(own))).toBe(
      'a less b; over steps 3 to 4; less the same over steps 1 to 2; expected higher',
    );
    const words = verdictWords(verdict({ against: 'b' }, a, b));
    expect(words).toMatch(
      /^supported: reward of a step \+0\.250 \[.*\], 4 steps, training 1 seed, study s$/,
    );
    const file = { format: 'forage.signatures/1', policy: { id: 'p', revision: 'r' } };
    const kept = verdictsSchema.parse({ ...file, verdicts: [verdict({ than: 0 }, a)] });
    expect(kept.verdicts[0]?.over).toBe('steps');
  });
});

test('how long waves took is a number of arms with a pace', () => {
  const study = (pace: Record<string, unknown>): string =>
    JSON.stringify(
      studyJson({
        arms: [
          { name: 'plain', recipe: 'search/grpo', pace: 'own' },
          { name: 'waiting', recipe: 'search/grpo', ...pace },
        ],
        signatures: [
          {
            recipe: 'verl-tool',
            claim: 'The sampler idles less',
            number: 'waveSeconds',
            arm: 'plain',
            against: 'waiting',
            expect: 'lower',
          },
        ],
      }),
    );
  expect(readStudy(study({ pace: 'lock-step' }), () => true).arms[1]?.pace).toBe('lock-step');
  expect(() => readStudy(study({ loop: { retrieval: { k: 4 } } }), () => true)).toThrow(
    'waveSeconds needs a pace, which arm "waiting" has not',
  );
});

test('numbers of a step', () => {
  const of = Object.fromEntries(
    COURSE_NUMBERS.map(({ id, of: value }) => [id, (one: CurvePoint) => value(one, [one])]),
  );
  expect(of['rewardGap']?.(point(1, { reward: 0.7, em: 0.5 }))).toBeCloseTo(0.2);
  // 7 groups that vary of 112 rollouts.
  const made = point(1, { rollouts: 112, groups: 14, zeroVarianceGroups: 7 });
  expect(of['variedGroups']?.(made)).toBe(6.25);
  expect(of['variedGroups']?.({ ...made, zeroVarianceGroups: 14 })).toBe(0);
  expect(of['variedGroups']?.(point(1))).toBeNull();
  const scored = { n: 64, em: 0.3, f1: 0.3, searches: 2 };
  expect(of['heldOutEm']?.(point(2, { heldOut: scored }))).toBe(0.3);
  expect(of['heldOutEm']?.(point(0, { heldOut: scored }))).toBeNull();
});

describe('a study file is refused', () => {
  const refused = (...course: Record<string, unknown>[]): string => {
    const base = { recipe: 'arpo', claim: 'It goes up', number: 'reward', expect: 'higher' };
    const text = JSON.stringify(studyJson({ course: course.map((one) => ({ ...base, ...one })) }));
    try {
      readStudy(text, () => true);
    } catch (error) {
      return String(error);
    }
    return 'accepted';
  };

  test.each([
    [{ arm: 'plain', than: 0 }, 'accepted'],
    [{ arm: 'as it is', than: 0 }, 'course.0: there is no trained arm "as it is"'],
    [{ arm: 'plain', against: 'plain' }, 'is compared with itself'],
    [{ arm: 'plain' }, 'needs against, than or unlike'],
    [{ arm: 'plain', against: 'more passages', than: 1 }, 'names both of against and than'],
    [{ arm: 'plain', than: 0, recipe: 'none' }, 'there is no recipe or switch "none"'],
    [{ arm: 'plain', than: 0, steps: { from: 3, to: 1 } }, 'steps 3 to 1 are none'],
    [{ arm: 'plain', unlike: { from: 1, to: 2 } }, 'steps and unlike share steps'],
    [{ arm: 'plain', than: 0, expect: 'equal' }, 'equal needs a margin'],
  ])('%j', (one, said) => {
    expect(refused(one)).toContain(said);
  });

  test('with a claim that is there twice', () => {
    const one = { arm: 'plain', than: 0 };
    expect(refused(one, one)).toContain('course.1: "It goes up" of arpo is there twice');
  });
});

describe('numbers of groups', () => {
  const evaluate = { worlds: [{ seed: 9001 }], questions: 20 };
  const problem = (change: Record<string, unknown>): string => {
    try {
      readStudy(JSON.stringify(studyJson(change)), () => true);
    } catch (error) {
      return String(error);
    }
    return 'accepted';
  };
  const arms = [{ name: 'plain', recipe: 'search/grpo' }];

  test('need several rollouts per question', () => {
    const numbers = ['em', 'allWrong'];
    expect(problem({ numbers })).toContain('numbers: allWrong needs evaluate.group');
    expect(problem({ numbers, evaluate: { ...evaluate, group: 4 } })).toBe('accepted');
    expect(
      problem({
        signatures: [
          {
            recipe: 'rex-rag',
            claim: 'c',
            number: 'clonesRight',
            arm: 'plain',
            than: 0,
            expect: 'higher',
          },
        ],
      }),
    ).toContain('clonesRight needs evaluate.group');
    const branching = { id: 'tree-rpo', children: 2, depth: 2 };
    expect(problem({ arms: [{ ...arms[0], branching }] })).toContain(
      'arm "plain": branching needs evaluate.group',
    );
  });

  test('cannot be had together with what one rollout is needed for', () => {
    expect(problem({ evaluate: { ...evaluate, group: 4, timed: 2 } })).toContain('evaluate.timed');
    const frozen = [{ ...arms[0], frozen: 'question' }];
    expect(problem({ arms: frozen, evaluate: { ...evaluate, group: 4 } })).toContain('frozen');
  });
});
