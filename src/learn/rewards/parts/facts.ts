import { z } from 'zod';
import type { AgentEvent } from '../../../records/events.ts';
import type { GoldStep, Passage } from '../../../records/records.ts';
import type { FrozenAnswer, GoldText, Rollout } from '../../../records/rollout.ts';
import { questionScores, type Checkable } from '../../../agent/answers/checked.ts';
import type { AnswerScores } from '../../../agent/answers/scores.ts';
import { type Normaliser, SQUAD } from '../../../agent/answers/normalisers.ts';
import { searchesOf, type SearchFact } from './searches.ts';
import {
  blocksIn,
  plannedIn,
  selectionsOf,
  thoughtsOf,
  type Selection,
  type WrittenBlock,
} from './made.ts';
import {
  proseScores,
  retrievedPassages,
  wantsLongAnswer,
  type ProseScores,
} from '../../../agent/answers/long-answer.ts';
import { readAnswerText, type Span } from '../../../agent/answers/answer-text.ts';
import { formatValid, spokenOutput, type SpokenOutput } from '../../../agent/released.ts';
import { blocksOf, openingTags, thoughtsAfterReading, type WrittenText } from './written.ts';

/** One query that the policy wrote. */
export interface AskedQuery {
  text: string;
  /** Whether it brought passages back. */
  answered: boolean;
  /** Whether a hint refused it: neither a failed call nor a limit of the rollout is the query's fault. */
  refused: boolean;
  evidence: Span[];
}

/** What an answer is worth, by the rules of several papers. */
export interface AnswerFacts {
  /** By SQuAD's normaliser, or by the question's own check (`checked.ts`). */
  em: number;
  f1: number;
  /** Every token of a gold answer is among the answer's. */
  coverEm: number;
  /** F1 without the rule that yes and no must match. */
  plainF1: number;
}

export function answerFacts(answer: string | null, question: Checkable): AnswerFacts {
  const { em, f1, coverEm } = questionScores(answer, question);
  return { em, f1, coverEm, plainF1: questionScores(answer, question, SQUAD, false).f1 };
}

/** The answer's scores by another normaliser than SQuAD's. */
export function scoresBy(
  normaliser: Normaliser,
  { verified, em, answerText, question }: RewardFacts,
): AnswerScores {
  // A verifier calls the answer right or wrong, whatever a normaliser makes of it.
  if (verified) return { em, f1: em, coverEm: em, subEm: em };
  return questionScores(answerText, question, normaliser);
}

/**
 * What rewards may look at: read from the record's events and from who wrote a segment. Text of the
 * environment can neither earn nor lose anything, whatever tags are in it.
 */
export interface RewardFacts extends AnswerFacts {
  /** The scores of the answer are those of a faulty verifier. */
  verified?: true;
  /** The final answer; null without one. */
  answerText: string | null;
  golds: readonly string[];
  question: Checkable;
  /** The text itself, where the policy wrote in a published format. */
  output: SpokenOutput | null;
  /** The whole output follows the protocol. */
  formatValid: boolean;
  /** Breaches of the protocol, one per place. */
  faults: Span[][];
  queries: AskedQuery[];
  /** The same with the result. */
  searches: readonly SearchFact[];
  /** Titles of the supporting passages. */
  supporting: readonly string[];
  /** The gold chain; empty where the record has none. */
  steps: readonly GoldStep[];
  /** Steps of it that the environment wrote before the policy's first word. */
  given: number;
  blocks: readonly WrittenBlock[];
  /** How many things the question may mean; 1 where it is clear, or the record does not say. */
  candidates: number;
  /** It wrote a plan that can be worked off. */
  planned: boolean;
  selections: readonly Selection[];
  thoughts: readonly { text: string; evidence: Span[] }[];
  /** What the frozen policy answered; empty where it was not asked. */
  frozen: readonly FrozenAnswer[];
  /** Gold paragraphs; empty where they were not looked up. */
  goldTexts: readonly GoldText[];
  /** Every passage that was shown, the background's too. */
  shown: readonly Pick<Passage, 'id' | 'title' | 'text'>[];
  /** Whether the policy could search at all; where it could not, a search is among the faults. */
  mayRetrieve: boolean;
  /** Most words of a query: a longer one is among the faults. Null: none is for its length. */
  queryWords: number | null;
  /** Opening tags of searches, closed or not: what code that counts tags counts. */
  opened: Span[];
  /** What it refined of its results; without such blocks, what it thought after it had first read passages. */
  afterReading: WrittenText;
  /** Blocks in which it computed, answered or not. */
  computed: Span[];
  /** Form of the final answer; null without one. */
  form: 'short' | 'long' | null;
  /** Where the answer stands. */
  answer: Span[];
  /** Text of the answer block outside its box. */
  prose: string;
  /** Whether the question wants a long answer, whatever was given. */
  wantsLong: boolean;
  /** What the prose is worth beside the gold summary and the passages that were shown. */
  proseScores: ProseScores;
  /** Tokens that the policy wrote. */
  tokens: number;
}

const settingsSchema = z.object({
  loop: z.string().default('agent'),
  retrieval: z
    .object({ maxSearches: z.number().default(1), queryWords: z.number().optional() })
    .prefault({}),
});

interface Recorded {
  question?: Pick<Rollout['question'], 'mayRetrieve'>;
  recipe?: Pick<Rollout['recipe'], 'settings'>;
}

/** UR²'s isRetrieve, from the question and the settings that were in force; true where neither says. */
export function mayRetrieve({ question, recipe }: Recorded): boolean {
  if (question?.mayRetrieve === false) return false;
  const { data } = settingsSchema.safeParse(recipe?.settings);
  return data === undefined || (data.loop === 'agent' && data.retrieval.maxSearches > 0);
}

/** Most words of a query beyond which the record has a fault; null where no limit was in force. */
export const queryWords = ({ recipe }: Pick<Recorded, 'recipe'>): number | null =>
  settingsSchema.safeParse(recipe?.settings).data?.retrieval.queryWords ?? null;

/** Breaches of the protocol that the record names, and searches where none was allowed that it does not. */
function faultsOf(rollout: Rollout, queries: readonly AskedQuery[]): Span[][] {
  const named = rollout.events.flatMap((event) =>
    event.kind === 'error' && event.what === 'malformed' ? [wholeSegment(rollout, event)] : [],
  );
  if (mayRetrieve(rollout)) return named;
  const at = new Set(named.flat().map(({ segment }) => segment));
  const unnamed = queries.filter(({ evidence }) => !evidence.some((span) => at.has(span.segment)));
  return [...named, ...unnamed.map(({ evidence }) => evidence)];
}

const wholeSegment = (rollout: Rollout, event: AgentEvent): Span[] => {
  const place = event.segment;
  const segment = place === undefined ? undefined : rollout.segments[place];
  if (place === undefined || segment?.source !== 'policy') return [];
  return [{ segment: place, start: 0, end: segment.text.length }];
};

function queriesOf(rollout: Rollout): AskedQuery[] {
  const queries: AskedQuery[] = [];
  for (const event of rollout.events) {
    if (event.kind === 'search')
      queries.push({
        text: event.query,
        answered: false,
        refused: false,
        evidence: wholeSegment(rollout, event),
      });
    const last = queries.at(-1);
    if (event.kind === 'retrieve' && last) last.answered = true;
    if (event.kind === 'summarize' && event.fallback && last) {
      // UR²'s fallback fault: the passages were held back, and a hint was given.
      last.answered = false;
      last.refused = true;
    }
    if (event.kind === 'verdict' && event.over === 'query' && event.action === 'refused' && last)
      last.refused = true;
  }
  return queries;
}

function refinementOf(rollout: Rollout): WrittenText {
  const refined = blocksOf(rollout, 'refine');
  return refined.spans.length > 0 ? refined : thoughtsAfterReading(rollout);
}

/** How many things the question may mean before anything is asked: the one that is meant and its namesakes; 1 where it is clear. */
function candidatesOf({ question }: Pick<Rollout, 'question'>): number {
  if (question.type !== 'underspecified') return 1;
  const rivals = question.chain?.[0]?.rivals ?? [];
  const namesakes = rivals.filter(({ why }) => why === 'namesake');
  return 1 + new Set(namesakes.map(({ passageId }) => passageId)).size;
}

function givenSteps({ segments }: Rollout): number {
  const first = segments.findIndex(({ source }) => source === 'policy');
  const before = first < 0 ? segments : segments.slice(0, first);
  return before.filter(({ source, role }) => source === 'environment' && role === 'search').length;
}

export function readFacts(rollout: Rollout): RewardFacts {
  const { answers, supporting } = rollout.question;
  const { span, prose } = readAnswerText(rollout);
  const queries = queriesOf(rollout);
  const answered = rollout.events.findLast((event) => event.kind === 'answer');
  return {
    ...answerFacts(rollout.answer, rollout.question),
    answerText: rollout.answer,
    golds: answers,
    question: rollout.question,
    output: spokenOutput(rollout),
    formatValid: formatValid(rollout),
    faults: faultsOf(rollout, queries),
    queries,
    searches: searchesOf(rollout),
    supporting,
    steps: rollout.question.chain ?? [],
    given: givenSteps(rollout),
    blocks: blocksIn(rollout),
    candidates: candidatesOf(rollout),
    planned: plannedIn(rollout),
    selections: selectionsOf(rollout),
    thoughts: thoughtsOf(rollout),
    frozen: rollout.frozen ?? [],
    goldTexts: rollout.goldTexts ?? [],
    shown: retrievedPassages(rollout),
    mayRetrieve: mayRetrieve(rollout),
    queryWords: queryWords(rollout),
    opened: openingTags(rollout),
    afterReading: refinementOf(rollout),
    computed: blocksOf(rollout, 'compute').spans,
    form: answered?.kind === 'answer' && rollout.answer !== null ? answered.form : null,
    answer: span ? [span] : [],
    prose,
    wantsLong: wantsLongAnswer(rollout.question),
    proseScores: proseScores(prose, rollout.question.summary, retrievedPassages(rollout)),
    tokens: rollout.segments.reduce((n, s) => n + (s.source === 'policy' ? s.ids.length : 0), 0),
  };
}
