import { z } from 'zod';
import { itemAt } from '../../base/items.ts';
import { defineObjectiveRule } from '../parts/objective-rule.ts';
import { FACT } from '../../learn/rewards/parts/clause.ts';
import type { Rollout } from '../../records/rollout.ts';

/**
 * FSPO (arXiv 2505.24630): the verdict v on a step of reasoning (1 stated by what was read, −1 not, 0 nothing to
 * verify) turns the advantage A of its tokens: A stays where v A ≥ 0, else −A counts. Tokens outside thoughts keep A.
 * `as-released` (nusnlp/FSPO): verdicts are 1 or −1 alone and every token outside thoughts has 1, so that the answer of
 * a wrong rollout is pushed up. Its further faults (a mask that begins at the response's first token, another
 * tokenizer's lengths) are not reproduced.
 */

const FORMS = ['paper', 'as-released'] as const;
type Factuality = (typeof FORMS)[number];

/** The advantage of a token under a verdict. @param v null outside thoughts */
export function turned(advantage: number, v: number | null, form: Factuality): number {
  if (form === 'as-released') {
    const sign = v === null || v > 0 ? 1 : -1;
    return sign * Math.abs(advantage);
  }
  return v === null || v * advantage >= 0 ? advantage : -advantage;
}

interface Trained {
  rollout: Pick<Rollout, 'segments' | 'rewards'>;
  /** 1 where the loss may train a token; one for each of the context. */
  mask: ArrayLike<number>;
}

/** One advantage a trained token. @param advantage of the rollout, or one a trained token */
export function turnedByFacts(
  { rollout, mask }: Trained,
  advantage: number | Float32Array,
  form: Factuality,
): Float32Array {
  const verdicts = new Map<number, number>();
  for (const { clause, value, evidence } of rollout.rewards)
    if (clause === FACT) for (const { segment } of evidence) verdicts.set(segment, value);
  const out: number[] = [];
  let token = 0;
  rollout.segments.forEach(({ ids, role }, segment) => {
    const verdict = verdicts.get(segment) ?? (role === 'think' ? 0 : null);
    for (let i = 0; i < ids.length; i++, token++) {
      if (mask[token] !== 1 || token === 0) continue;
      const own = typeof advantage === 'number' ? advantage : itemAt(advantage, out.length);
      out.push(turned(own, verdict, form));
    }
  });
  return Float32Array.from(out);
}

defineObjectiveRule('fspo', {
  params: z.strictObject({
    form: z
      .enum(FORMS)
      .default('paper')
      .meta({
        title: 'Verdicts',
        choices: { paper: 'turn their advantages', 'as-released': 'as released' },
      }),
  }),
  label: 'Verdicts on thoughts',
  help: 'FSPO; the reward must be FSPO’s',
  what: 'turning advantages by verdicts',
  clash({ stages, objective }, rewards) {
    const giving = rewards.flatMap(({ id, verdicts }) => (verdicts ? [id] : []));
    const without = stages.find(({ reward }) => !giving.includes(reward));
    if (without)
      return `The reward ${without.reward} gives no verdicts on thoughts. Choose ${giving.join(' or ')} in every stage, or leave fspo out.`;
    return typeof objective.estimator === 'string'
      ? null
      : 'Verdicts flip group advantages, not those of a critic. Leave fspo out, or choose an estimator by groups.';
  },
  rule: ({ form }) => ({
    advantages: (all, sequences) =>
      sequences.map((one, i) => turnedByFacts(one, itemAt(all, i, 'advantages'), form)),
  }),
});
