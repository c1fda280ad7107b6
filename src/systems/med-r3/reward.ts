import { f1Score, subExactMatch } from '../../agent/answers/scores.ts';
import { namesIn } from '../../agent/answers/evidence.ts';
import { words } from '../../agent/answers/normalisers.ts';
import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';

/*
 * Med-R³ (arXiv 2507.23541; code: 8023looker/Med-R3), the reward of its first and third stage: 0 where the format
 * is broken; 1, 0.4 or 0 for the answer; 0.8 times the mean of three likenesses of the reasoning to the reference
 * graph; less a penalty on thoughts that are short beside the answer. Differences: no medicine; 0.4 is for an answer
 * that is partly right (F1 of 0.6 or every gold token), where theirs asks a language model; entities are the objects
 * of the gold chain, a path is which follows which, and the likeness of embeddings is token F1 with the chain; the
 * language penalty is left out: the world has one language.
 */

const PARTLY = 0.4;
const PARTLY_F1 = 0.6;
const GRAPH = 0.8;
const MOST_RATIO = 2;

const jaccard = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  const common = [...a].filter((one) => b.has(one)).length;
  return common === 0 ? 0 : common / (a.size + b.size - common);
};

/** What follows what, as "a > b"; of a single one itself. */
const pathOf = (items: readonly string[]): Set<string> =>
  new Set(items.length === 1 ? items : items.slice(1).map((one, i) => `${items[i]} > ${one}`));

/** Penalty on thoughts that are short beside the answer; 0.1 without any, about 0 from twice its length on. */
export const shortThought = (ratio: number): number =>
  (1 - (1 - Math.exp(-Math.min(ratio, MOST_RATIO))) / 0.8647) / 10;

/** 0.8 times the mean of three likenesses, each 0 to 1. */
export const graphReward = (path: number, text: number, entities: number): number =>
  (GRAPH * (path + text + entities)) / 3;

function graph({ steps, thoughts }: RewardFacts): number {
  const text = thoughts.map((one) => one.text).join(' ');
  const objects = steps.map(({ object }) => object.toLowerCase());
  const lower = text.toLowerCase();
  const told = objects
    .filter((object) => subExactMatch(text, [object]) === 1)
    .sort((a, b) => lower.indexOf(a) - lower.indexOf(b));
  const asked = new Set(steps.flatMap(({ query }) => namesIn(query)));
  const named = new Set([...told, ...namesIn(text).filter((name) => !asked.has(name))]);
  const reference = steps.map(({ query, object }) => `${query} ${object}`).join(' ');
  return graphReward(
    jaccard(pathOf(told), pathOf(objects)),
    steps.length === 0 ? 0 : f1Score(text, [reference]),
    jaccard(named, new Set(objects)),
  );
}

const answerValue = ({ em, f1, coverEm }: RewardFacts): number =>
  em === 1 ? 1 : f1 >= PARTLY_F1 || coverEm === 1 ? PARTLY : 0;

export const medR3 = fixedReward({
  id: 'med-r3',
  name: 'Med-R³ stages 1 and 3, reasoning',
  source: 'Med-R³, arXiv 2507.23541',
  range: [-0.1, 1.8],
  clauses: (facts) => {
    const { formatValid, answer, thoughts, answerText } = facts;
    if (!formatValid) return [clause('answer', 0, answer)];
    const spans = thoughts.flatMap(({ evidence }) => evidence);
    const thought = words(thoughts.map(({ text }) => text).join(' ')).length;
    const ratio = thought / Math.max(1, words(answerText ?? '').length);
    return [
      clause('answer', answerValue(facts), answer),
      clause('graph', graph(facts), spans),
      clause('short-thought', -shortThought(ratio), spans),
    ];
  },
});

/*
 * Med-R³ (arXiv 2507.23541; code: 8023looker/Med-R3), the reward of its second stage: the share of the gold
 * documents that all searches together brought; 0 without a search or where the format is broken. It was made
 * for medicine; nothing in this stage is.
 */
export const medR3Stage2 = fixedReward({
  id: 'med-r3-stage-2',
  name: 'Med-R³ stage 2, retrieval',
  source: 'Med-R³, arXiv 2507.23541',
  range: [0, 1],
  needs: { retrieval: 'supporting' },
  clauses: ({ searches, supporting, formatValid }) => {
    const wanted = new Set(supporting);
    const bringing = searches.filter(({ passages }) =>
      passages.some(({ title, sound }) => sound && wanted.has(title)),
    );
    const found = new Set(
      bringing.flatMap(({ passages }) =>
        passages.filter(({ title, sound }) => sound && wanted.has(title)).map(({ title }) => title),
      ),
    );
    const share = formatValid && wanted.size > 0 ? found.size / wanted.size : 0;
    return [clause('retrieval', share, share > 0 ? bringing.flatMap((s) => s.evidence) : [])];
  },
});
