import { z } from 'zod';
import { subExactMatch } from '../../agent/answers/scores.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';
import { defineVerifier } from '../parts/define.ts';

/*
 * A verifier with faults between answers and their reward (Pitfalls of verifiers, arXiv 2505.22203: rules miss right
 * answers, models can be fooled). Difference: what is missed and what passes is drawn at random, or by a check that a
 * long answer fools, in place of a model.
 */

const share = z.number().min(0).max(1);

const params = z
  .strictObject({
    kind: z
      .enum(['rule', 'substring'])
      .default('rule')
      .meta({
        title: 'Calls right',
        choices: { rule: 'an exact match', substring: 'what holds a gold answer' },
      }),
    /** The hybrid of rule and model: an F1 of at least this is called right too. */
    f1From: share.default(0.6).nullable().default(null).meta({ title: 'F1 from' }),
    falseNegative: share.default(0.1).meta({ title: 'Right ones missed' }),
    falsePositive: share.default(0).meta({ title: 'Wrong ones passed' }),
  })
  .meta({
    title: 'Faulty verifier',
    description: 'What the reward receives about an answer; the metrics keep the exact check',
  });
type Verifier = z.infer<typeof params>;

/** Whether the verifier calls an answer right, before faults are drawn. */
const matches = (
  { kind, f1From }: Pick<Verifier, 'kind' | 'f1From'>,
  { em, f1, answerText, golds }: Pick<RewardFacts, 'em' | 'f1' | 'answerText' | 'golds'>,
): boolean =>
  (kind === 'rule' ? em : subExactMatch(answerText, golds)) === 1 ||
  (f1From !== null && f1 >= f1From);

/**
 * Facts as judged by the verifier: all scores of an accepted answer are 1, all scores of a rejected one are 0.
 * @param draw random number, 0 to 1
 */
export function judgedByVerifier(by: Verifier, facts: RewardFacts, draw: number): RewardFacts {
  const called = matches(by, facts);
  const flipped = draw < (called ? by.falseNegative : by.falsePositive);
  const right = called !== flipped;
  if (right === (facts.em === 1)) return facts;
  const all = Number(right);
  return {
    ...facts,
    verified: true,
    em: all,
    f1: all,
    coverEm: all,
    plainF1: all,
  };
}

defineVerifier('verifier-pitfalls', params, judgedByVerifier);
