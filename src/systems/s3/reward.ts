import type { Passage } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import { selectionsOf } from '../../learn/rewards/parts/made.ts';
import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';

/*
 * s3 (arXiv 2505.14146; code: pat-jj/s3, verl/utils/reward_score/rag_2.py): what a frozen generator gains by the
 * passages that the searcher selected, over those that one retrieval with the question brings. Paper: the gain,
 * Acc(G(q, D_s3)) − Acc(G(q, D_RAG)). Released: accuracy and gain, 2 Acc − Acc_RAG. Differences: the generator is
 * the checkpoint without its adapter; Acc is that a gold answer is in its answer, where theirs asks a language
 * model when none does.
 */

/** The passages that were chosen of every result after which some were, and all of every other result; each once. */
function selectedOf(rollout: Rollout): Passage[] {
  const ids = new Set(
    selectionsOf(rollout).flatMap(({ passages, chosen }) =>
      passages.filter((_, i) => chosen === null || chosen.includes(i + 1)).map(({ id }) => id),
    ),
  );
  const all = rollout.events.flatMap((event) =>
    event.kind === 'retrieve' ? event.hits.map(({ passage }) => passage) : [],
  );
  return [...new Map(all.map((passage) => [passage.id, passage])).values()].filter(({ id }) =>
    ids.has(id),
  );
}

const frozen = { from: 'selected', passages: selectedOf, naive: true } as const;

const accuracies = ({ frozen }: RewardFacts): [selected: number, naive: number] => [
  frozen.find(({ from }) => from === 'selected')?.holds ?? 0,
  frozen.find(({ from }) => from === 'question')?.holds ?? 0,
];

const choices = ({ selections }: RewardFacts) => selections.flatMap(({ evidence }) => evidence);

export const s3Gain = fixedReward({
  id: 's3',
  name: 's3, gain beyond naive RAG',
  source: 's3, arXiv 2505.14146',
  range: [-1, 1],
  frozen,
  clauses: (facts) => {
    const [selected, naive] = accuracies(facts);
    return [clause('gain', selected - naive, choices(facts))];
  },
});

export const s3Released = fixedReward({
  id: 's3-released',
  name: 's3, accuracy and gain',
  source: 's3, arXiv 2505.14146, both switches of its code on',
  range: [-1, 2],
  frozen,
  clauses: (facts) => {
    const [selected, naive] = accuracies(facts);
    return [
      clause('accuracy', selected, choices(facts)),
      clause('gain', selected - naive, choices(facts)),
    ];
  },
});
