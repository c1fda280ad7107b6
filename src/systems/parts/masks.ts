import { z } from 'zod';
import { itemAt } from '../../base/items.ts';
import { remasked, trainedCount, type Sequence } from '../../learn/mask.ts';
import type { RuledStep } from '../../learn/objective.ts';
import { defineObjectiveRule } from './objective-rule.ts';
import type { RecipeSettings } from '../../recipes/parts/settings.ts';
import type { Rollout } from '../../records/rollout.ts';

/** Which tokens released code trains, where that is not what the policy wrote. */

/** Tokens that stand around results. */
interface Tags {
  open: number;
  close: number;
}

const BY = ['by-tags', 'first-calls', 'none'] as const;
type By = (typeof BY)[number];

/**
 * The mask without text between an opening and the next closing tag, tags included, even if the policy wrote them
 * (R1-Searcher, train/openrlhf, as released); an opening tag without a closing one takes all that is left.
 */
export function maskedByTags(
  ids: ArrayLike<number>,
  mask: Uint8Array,
  { open, close }: Tags,
): Uint8Array {
  let inside = false;
  return mask.map((trained, i) => {
    inside ||= ids[i] === open;
    const kept = inside ? 0 : trained;
    if (ids[i] === close) inside = false;
    return kept;
  });
}

/**
 * The mask without the first blocks of tool output, tags included, even if the policy wrote them, and with the output after them
 * (CIR, RUCAIBox/CIR, ray_trainer.py, as released: blocks are looked for in the text, and only this many as calls are
 * allowed); an opening tag without a closing one is not a block.
 * @param outputs 1 where the environment wrote a result
 */
export function maskedFirstCalls(
  ids: Int32Array,
  { mask, outputs }: { mask: Uint8Array; outputs: Uint8Array },
  { open, close }: Tags,
  calls: number,
): Uint8Array {
  const trained = mask.map((bit, i) => (bit === 1 || outputs[i] === 1 ? 1 : 0));
  let from = 0;
  for (let call = 0; call < calls; call++) {
    const start = ids.indexOf(open, from);
    const end = start < 0 ? -1 : ids.indexOf(close, start);
    if (end < 0) break;
    trained.fill(0, start, end + 1);
    from = end + 1;
  }
  return trained;
}

/** Where the environment wrote a result. */
const outputsOf = ({ segments }: Rollout): Uint8Array =>
  Uint8Array.from(
    segments.flatMap(({ ids, source, role }) =>
      ids.map(() => Number(source === 'environment' && role === 'result')),
    ),
  );

/** Searches that a rollout could make. */
const searchesAllowed = ({ recipe: { settings } }: Rollout): number =>
  (settings as unknown as RecipeSettings).retrieval.maxSearches;

/**
 * Sequences as released code masks them: R1-Searcher's by the tags of results, CIR's by those of as many as searches are
 * allowed; `none` masks no result. What CIR's then trains of later results has the old log-probabilities that the learner gives
 * it, whose adapter is the sampler's, as in its code.
 */
export async function sequencesMasked(
  learner: RuledStep['learner'],
  sequences: readonly Sequence[],
  by: By,
  tags: Tags,
): Promise<Sequence[]> {
  const masks = sequences.map(({ ids, mask, rollout }) =>
    by === 'by-tags'
      ? maskedByTags(ids, mask, tags)
      : maskedFirstCalls(
          ids,
          { mask, outputs: outputsOf(rollout) },
          tags,
          by === 'none' ? 0 : searchesAllowed(rollout),
        ),
  );
  const further = sequences.map((one, s) => ({
    ...one,
    mask: itemAt(masks, s).map((bit, i) => (one.mask[i] === 1 ? 0 : bit)),
  }));
  const scored = further.filter(({ mask }) => trainedCount(mask) > 0);
  const scores = scored.length > 0 ? await learner.score(scored, false) : [];
  return sequences.map((one, s) =>
    remasked(one, itemAt(masks, s), scores[scored.indexOf(itemAt(further, s))]),
  );
}

/** What ends a rollout before the policy does. */
const LIMITS = new Set<string>(['max-searches', 'token-budget', 'context-full']);

/** VerlTool's `mask_overlong_loss` (2509.01055): nothing of a rollout that a limit ended is trained. */
export function finishedAlone(sequence: Sequence): Sequence {
  const { events } = sequence.rollout;
  const cut = events.some((event) => event.kind === 'stop' && LIMITS.has(event.reason));
  return cut ? remasked(sequence, new Uint8Array(sequence.mask.length)) : sequence;
}

defineObjectiveRule('result-mask', {
  params: z.strictObject({
    by: z
      .enum(BY)
      .default('by-tags')
      .meta({
        title: 'Masked results',
        choices: {
          'by-tags': 'by tags (R1-Searcher)',
          'first-calls': 'of the allowed searches (CIR)',
          none: 'none (Search-R1’s ablation)',
        },
      }),
  }),
  label: 'Another mask of results',
  help: 'As released; else only the model’s own tokens are trained',
  what: 'a mask by tags',
  rule: ({ by }) => ({
    async sequences({ learner, sequences, tokenizer }) {
      const [open, close] = [tokenizer.specialId('<result>'), tokenizer.specialId('</result>')];
      if (open === undefined || close === undefined) return sequences;
      return sequencesMasked(learner, sequences, by, { open, close });
    },
  }),
});

defineObjectiveRule('finished-only', {
  params: z.strictObject({}),
  label: 'No loss of unfinished rollouts',
  help: 'VerlTool: what ran out of tokens or turns teaches nothing',
  what: 'a mask over unfinished rollouts',
  rule: () => ({ sequences: async ({ sequences }) => sequences.map(finishedAlone) }),
});
