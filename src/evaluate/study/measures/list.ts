import { WAVE } from './wave.ts';
import type { Span } from '../../../agent/answers/answer-text.ts';
import { subExactMatch } from '../../../agent/answers/scores.ts';
import { mean, meanOrNull } from '../../../base/statistics.ts';
import { asksOf } from '../../../systems/ar-bench/reward.ts';
import { newGoldShares, goldShares, seenShares } from '../../../learn/rewards/parts/searches.ts';
import type { RewardFacts } from '../../../learn/rewards/parts/facts.ts';
import { leastCertain } from '../../../systems/beta-grpo/reward.ts';
import { fallbacksOf } from '../../../learn/rl/record.ts';
import { verdictOf } from '../../../systems/fspo/reward.ts';
import { addedUp, banksOf, contradicted, operations } from '../../../systems/memory-r1/bank.ts';
import { relevance } from '../../../systems/arena/reward.ts';
import { likeliestStep } from '../../../systems/r1-router/reward.ts';
import { firstGiven } from '../../../systems/interleaved/reward.ts';
import { grounded } from '../../../agent/answers/evidence.ts';
import { goldSentences } from '../../../retrieval/summarize/oracle.ts';
import type { FrozenAnswer, Rollout } from '../../../records/rollout.ts';
import type { NumberUnit } from './units.ts';
import { isClosed } from '../../rollouts/lint/facts.ts';
import { GROUP_MEASURE_IDS, type GroupMeasureId } from './groups.ts';

/** Numbers that single systems are about, beside those that every rollout has. */

interface MeasureDefinition {
  id: string;
  title: string;
  unit: NumberUnit;
  /** Whether each rollout has 0 or 1. */
  binary?: true;
  /** Null where the rollout has nothing to measure it by. */
  of: (rollout: Rollout, facts: RewardFacts) => number | null;
}

const share = (bits: readonly boolean[]): number | null =>
  bits.length === 0 ? null : mean(bits.map(Number));

const resultsOf = ({ segments }: Rollout) =>
  segments.filter(({ role, source }) => role === 'result' && source === 'environment');

/** Blocks in which something is kept of what was read. */
const KEPT = new Set(['refine', 'evidence', 'memory']);

/** 1 where a result held the gold answer and no block that keeps of it does; null without such blocks. */
function goldLost(_: Rollout, { blocks, searches, golds }: RewardFacts): number | null {
  const kept = blocks.filter(({ kind }) => KEPT.has(kind));
  const read = searches.some(({ passages }) =>
    passages.some(({ text }) => subExactMatch(text, golds) === 1),
  );
  if (kept.length === 0 || isClosed(golds) || !read) return null;
  return Number(!kept.some(({ text }) => subExactMatch(text, golds) === 1));
}

/** Share of the gold sentences among summarized passages that the summaries keep; null where none was among them. */
function goldKept({ events, question }: Rollout): number | null {
  const kept = events.flatMap((event, i) => {
    if (event.kind !== 'summarize' || event.fallback) return [];
    const found = events.slice(0, i).findLast(({ kind }) => kind === 'retrieve');
    if (found?.kind !== 'retrieve') return [];
    const passages = found.hits.map(({ passage }) => passage);
    return goldSentences(passages, question).map(({ text }) => event.text.includes(text));
  });
  return share(kept);
}

/** Share of the things in the last memory bank of which its facts contradict each other; null of an empty one. */
const contradictory = (_: Rollout, { blocks }: RewardFacts): number | null =>
  contradicted(banksOf(blocks).at(-1) ?? '');

/** How much greater that share would be for a manager that only adds what was in any of the banks. */
function contradictoryAdded(rollout: Rollout, facts: RewardFacts): number | null {
  const own = contradictory(rollout, facts);
  const added = contradicted(addedUp(banksOf(facts.blocks)));
  return own === null || added === null ? null : added - own;
}

/** Share of judged results that were judged rightly: useful is what brings a supporting passage first. */
function judgedRight(_: Rollout, { searches, supporting }: RewardFacts): number | null {
  const gains = newGoldShares(searches, supporting);
  return share(
    searches.flatMap(({ judged }, i) => (judged ? [judged.useful === (gains[i] ?? 0) > 0] : [])),
  );
}

function rightBehindNo(_: Rollout, { searches, em }: RewardFacts): number | null {
  const last = searches.findLast(({ judged }) => judged)?.judged;
  return last ? Number(em === 1 && !last.useful) : null;
}

/** Of searches that name one source: whether it holds the passage of the gold step whose query is most like it. */
function rightSource(_: Rollout, { searches, steps }: RewardFacts): number | null {
  return share(
    searches.flatMap(({ query, asked }) => {
      if (asked !== 'local' && asked !== 'web') return [];
      const source = likeliestStep(query, steps)[1]?.source;
      return source === undefined ? [] : [source === 'both' || source === asked];
    }),
  );
}

/** Share of the intermediate objects of the gold chain that a sub-answer gives; null of one step. */
function subAnswers(_: Rollout, facts: RewardFacts): number | null {
  return share(firstGiven(facts).map((step) => step !== null));
}

/**
 * Tokens that the policy wrote up to the first sub-answer that holds an object of the gold chain; null without a right
 * one.
 */
function toSubAnswer({ segments }: Rollout, { steps, blocks }: RewardFacts): number | null {
  const objects = steps.map(({ object }) => object);
  const first = blocks.find(
    ({ kind, text }) => kind === 'summary' && subExactMatch(text, objects) === 1,
  );
  const end = first?.evidence[0]?.segment;
  if (end === undefined) return null;
  return segments
    .slice(0, end + 1)
    .reduce((sum, { source, ids }) => sum + (source === 'policy' ? ids.length : 0), 0);
}

/** How often facts of the memory went one way or the other from one bank to the next; null without a bank. */
const banked =
  (operation: 'update' | 'delete') =>
  (_: Rollout, { blocks }: RewardFacts): number | null => {
    const banks = banksOf(blocks);
    if (banks.length === 0) return null;
    return banks.reduce((sum, bank, i) => sum + operations(banks[i - 1] ?? '', bank)[operation], 0);
  };

/** 1 where no passage that was shown holds the answer; null without an answer, and of yes and no. */
const unsupported = (_: Rollout, { answerText, shown, golds }: RewardFacts): number | null =>
  answerText === null || isClosed(golds)
    ? null
    : Number(
        !grounded(
          answerText,
          shown.map(({ text }) => text),
        ),
      );

/**
 * Searches after a thought that names the final answer already; null without an answer, of yes and no, and where the
 * question names it.
 */
function checks(
  { question }: Rollout,
  { searches, thoughts, answerText }: RewardFacts,
): number | null {
  if (answerText === null || isClosed([answerText])) return null;
  if (subExactMatch(question.text, [answerText]) === 1) return null;
  const named = thoughts.find(({ text }) => subExactMatch(text, [answerText]) === 1);
  const from = named?.evidence[0];
  if (!from) return 0;
  return searches.filter(({ evidence: [at] }) => at && behind(at, from)).length;
}

const behind = (one: Span, other: Span): boolean =>
  one.segment > other.segment || (one.segment === other.segment && one.start > other.start);

/** Mean probability of the tokens of a wrong answer's block, as they were sampled; null of a right one, and without one. */
function wrongSure({ segments }: Rollout, { em, answer }: RewardFacts): number | null {
  if (em === 1) return null;
  const places = new Set(answer.map(({ segment }) => segment));
  const logprobs = [...places].flatMap((place) => segments[place]?.logprobs ?? []);
  return meanOrNull(logprobs.map(Math.exp));
}

const hasSelections = ({ selections }: RewardFacts): boolean =>
  selections.some(({ chosen }) => chosen !== null);

/** Of a rollout that the frozen policy was asked about: what it says from scratch is wrong. */
const frozenBy = (
  { frozen }: Rollout,
  value: (
    own: Pick<FrozenAnswer, 'f1' | 'holds'>,
    naive: FrozenAnswer | undefined,
  ) => number | null,
): number | null => {
  if (!frozen) return null;
  const own = frozen.find(({ from }) => from !== 'question') ?? { f1: 0, holds: 0 };
  return value(
    own,
    frozen.find(({ from }) => from === 'question'),
  );
};

export const MEASURES = [
  {
    id: 'resultTokens',
    title: 'tokens of a result',
    unit: 'count',
    of: (rollout) => meanOrNull(resultsOf(rollout).map(({ ids }) => ids.length)),
  },
  {
    id: 'seen',
    title: 'passages seen before',
    unit: 'percent',
    of: (_, { searches }) => meanOrNull(seenShares(searches)),
  },
  {
    id: 'bestSearch',
    title: 'gold passages of the best search',
    unit: 'percent',
    of: (_, { searches, supporting }) =>
      supporting.length === 0 ? null : Math.max(0, ...goldShares(searches, supporting)),
  },
  {
    id: 'barren',
    title: 'searches that bring no new gold passage',
    unit: 'percent',
    of: (_, { searches, supporting }) =>
      supporting.length === 0
        ? null
        : share(newGoldShares(searches, supporting).map((gain) => gain === 0)),
  },
  {
    id: 'pageless',
    title: 'searches that open no page',
    unit: 'percent',
    of: (rollout) =>
      share(resultsOf(rollout).map(({ text }) => /^(?:<result>)?\s*could not find\b/u.test(text))),
  },
  {
    id: 'leastCertain',
    title: 'least probability of a query token',
    unit: 'percent',
    of: (_, { searches }) => (searches.length === 0 ? null : leastCertain(searches)),
  },
  {
    id: 'fallbacks',
    title: 'queries that got the fallback sentence',
    unit: 'count',
    of: (rollout) => fallbacksOf([rollout]),
  },
  {
    id: 'gate',
    title: 'mean a of the gates',
    unit: 'share',
    of: ({ latent }) => latent?.gate ?? null,
  },
  {
    id: 'asked',
    title: 'rollouts that ask back',
    unit: 'percent',
    binary: true,
    of: (_, { blocks }) => Number(blocks.some(({ kind }) => kind === 'ask')),
  },
  {
    id: 'narrowed',
    title: 'candidates that asks leave out',
    unit: 'percent',
    of: (_, facts) =>
      facts.candidates < 2 ? null : Math.max(0, ...asksOf(facts).map(({ narrows }) => narrows)),
  },
  {
    id: 'calls',
    title: 'searches and computations',
    unit: 'count',
    of: (_, { searches, computed }) => searches.length + computed.length,
  },
  {
    id: 'callless',
    title: 'rollouts without a call',
    unit: 'percent',
    binary: true,
    of: (_, { searches, computed }) => Number(searches.length + computed.length === 0),
  },
  {
    id: 'rightByBoth',
    title: 'right with both tools',
    unit: 'percent',
    binary: true,
    of: (_, { searches, computed, em }) =>
      Number(em === 1 && searches.length > 0 && computed.length > 0),
  },
  {
    id: 'goldLost',
    title: 'gold answers read and not kept',
    unit: 'percent',
    binary: true,
    of: goldLost,
  },
  {
    id: 'goldKept',
    title: 'gold sentences kept by summaries',
    unit: 'percent',
    of: goldKept,
  },
  { id: 'judgedRight', title: 'right judgements', unit: 'percent', of: judgedRight },
  {
    id: 'rightBehindNo',
    title: 'right after a “no”',
    unit: 'percent',
    binary: true,
    of: rightBehindNo,
  },
  {
    id: 'namedExactly',
    title: 'exactly the supporting passages named',
    unit: 'percent',
    binary: true,
    of: (_, facts) => (hasSelections(facts) ? Number(relevance(facts) === 1) : null),
  },
  {
    id: 'rightOnOthers',
    title: 'right with other passages named',
    unit: 'percent',
    binary: true,
    of: (_, facts) =>
      hasSelections(facts) ? Number(facts.em === 1 && relevance(facts) < 1) : null,
  },
  { id: 'rightSource', title: 'searches of the right source', unit: 'percent', of: rightSource },
  { id: 'subAnswers', title: 'sub-answers given', unit: 'percent', of: subAnswers },
  {
    id: 'toSubAnswer',
    title: 'tokens to the first right sub-answer',
    unit: 'count',
    of: toSubAnswer,
  },
  { id: 'updated', title: 'facts updated', unit: 'count', of: banked('update') },
  {
    id: 'contradictory',
    title: 'things of which the memory contradicts itself',
    unit: 'percent',
    of: contradictory,
  },
  {
    id: 'contradictoryAdded',
    title: 'things of which it would, if facts were only added, beyond those',
    unit: 'percent',
    of: contradictoryAdded,
  },
  { id: 'deleted', title: 'facts deleted', unit: 'count', of: banked('delete') },
  {
    id: 'unread',
    title: 'thoughts that name what was not read',
    unit: 'percent',
    of: (_, { thoughts, shown }) =>
      share(thoughts.map(({ text }) => verdictOf(text, shown) === -1)),
  },
  {
    id: 'checks',
    title: 'searches after a thought that names the answer',
    unit: 'count',
    of: checks,
  },
  {
    id: 'wrongSure',
    title: 'probability of a wrong answer’s tokens',
    unit: 'percent',
    of: wrongSure,
  },
  {
    id: 'unheld',
    title: 'answers that no passage holds',
    unit: 'percent',
    binary: true,
    of: unsupported,
  },
  {
    id: 'frozenF1',
    title: 'F1 of the frozen answerer',
    unit: 'percent',
    of: (rollout) => frozenBy(rollout, ({ f1 }) => f1),
  },
  {
    id: 'frozenRight',
    title: 'right answers of the frozen answerer',
    unit: 'percent',
    binary: true,
    of: (rollout) => frozenBy(rollout, ({ holds }) => holds),
  },
  {
    id: 'frozenHarmed',
    title: 'frozen answers that searching made wrong',
    unit: 'percent',
    binary: true,
    of: (rollout) =>
      frozenBy(rollout, ({ holds }, naive) =>
        naive ? Number(naive.holds === 1 && holds === 0) : null,
      ),
  },
] as const satisfies readonly MeasureDefinition[];

export type MeasureId = (typeof MEASURES)[number]['id'] | typeof WAVE.id | GroupMeasureId;

export const MEASURE_IDS: readonly MeasureId[] = [
  ...MEASURES.map(({ id }) => id),
  WAVE.id,
  ...GROUP_MEASURE_IDS,
];

export const isMeasure = (id: string): id is MeasureId =>
  MEASURE_IDS.some((measure) => measure === id);

/** All measures of a rollout that has something to measure them by. */
export function measuresOf(
  rollout: Rollout,
  facts: RewardFacts,
): Partial<Record<MeasureId, number>> {
  const found = MEASURES.flatMap(({ id, of }) => {
    const value = of(rollout, facts);
    return value === null ? [] : [[id, value]];
  });
  return Object.fromEntries(found) as Partial<Record<MeasureId, number>>;
}
