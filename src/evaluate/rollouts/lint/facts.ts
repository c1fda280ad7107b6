import { normalizeAnswer } from '../../../agent/answers/normalisers.ts';
import { questionScores } from '../../../agent/answers/checked.ts';
import type { AnswerScores } from '../../../agent/answers/scores.ts';
import {
  errorOf,
  goldsToScore,
  unscoredReason,
  type ImportedRollout,
  type ImportedSegment,
} from '../../../formats/rollouts/shape/imported.ts';
import { itemAt } from '../../../base/items.ts';
import { R1_SEARCHER } from '../../../systems/r1-searcher/normaliser.ts';
import { outsideAnswer } from '../../../records/outside-answer.ts';
import { countSearches } from '../../../records/searches.ts';

/** What the statistics count of one rollout: small, so that a file of any size can be counted. */
export interface RolloutFacts {
  id: string;
  questionId: string;
  groupId: string;
  step: number | null;
  /** The question has gold answers, also where they could not be scored against. */
  golds: boolean;
  /** By SQuAD's normaliser; null without gold answers, and where the answer cannot be read. */
  scores: AnswerScores | null;
  /** By R1-Searcher's normaliser; null as `scores`, and for rows stored by an earlier version. */
  byR1Searcher: AnswerScores | null;
  answered: boolean;
  /** It answered in prose outside its tags instead. */
  outside?: true;
  /** Nobody can say whether an answer was given: `answered` is open, and nothing is scored. */
  unread?: boolean;
  /** The error that ended it: then `unread` is true too, and its reward is in no mean. */
  error?: string;
  /** The judge's verdict; null without one. */
  judge: boolean | null;
  /**
   * The text of a gold answer cannot show whether evidence was retrieved: every one is yes, no or
   * "noanswer", or it is worked out, or is that there is none (`WORKED_OUT`).
   */
  closed: boolean;
  /** A gold answer is in what the environment showed. Always false where `closed`. */
  retrieved: boolean;
  /** Searches that were made; queries that the policy wrote where the record has no events to count. */
  searches: number;
  /** The environment showed results or background, requested or not. */
  shown: boolean;
  /**
   * Something that was read may hold the answer: a gold answer is in it, or, where `closed`, words cannot tell.
   * True where the question needs no passage. An answer that is right without it is memory, or a guess.
   */
  evidence: boolean;
  reward: number | null;
  advantage: number | null;
}

const CLOSED = new Set(['yes', 'no', 'noanswer']);

export const isClosed = (golds: readonly string[]): boolean =>
  golds.length > 0 && golds.every((gold) => CLOSED.has(normalizeAnswer(gold)));

/** Types of question of the built-in world whose answer is in no passage, or in many for other reasons. */
const WORKED_OUT = new Set(['arithmetic', 'computation', 'counting', 'unanswerable']);

/** Whether finding a gold answer's words in a passage would prove nothing. */
export const isClosedQuestion = ({ answers, type }: ImportedRollout['question']): boolean =>
  isClosed(answers) || (type !== undefined && WORKED_OUT.has(type) && answers.length > 0);

/** A computation of the built-in world: all that it takes is in the question. */
export const needsNoPassage = ({ type }: ImportedRollout['question']): boolean =>
  type === 'computation';

/** A text as whole normalised words, so that `holdsAnswer` is one look-up. */
const wordText = (text: string): string => ` ${normalizeAnswer(text)} `;

const known = new WeakMap<object, { text: string; words: string }>();

/** Tags and chat marks, which would stick to the words beside them once punctuation is gone. */
const TAGS = /<[|｜][\w▁-]{1,40}[|｜]>|<\/?[a-z_]{1,40}>/g;
/** Line ends inside a JSON string, where a tool answered with one. A run of backslashes is tried once. */
const ESCAPES = /(?<!\\)\\+[nrt]/g;

const withoutMarks = (text: string): string => {
  const plain = text.replaceAll(TAGS, ' ');
  return /[{[]\s{0,8}"/.test(plain) ? plain.replaceAll(ESCAPES, ' ') : plain;
};

/** `wordText` of a segment, made once: several checks and the facts look into the same results. */
export function segmentWords(segment: Pick<ImportedSegment, 'text'>): string {
  const { text } = segment;
  const before = known.get(segment);
  // A segment that was changed meanwhile is read again.
  if (before?.text === text) return before.words;
  const words = wordText(withoutMarks(text));
  known.set(segment, { text, words });
  return words;
}

/**
 * What to look for in `wordText` for some answers: each as whole normalised words; yes, no and empty
 * answers are left out. Made once for many texts.
 */
export const needlesOf = (answers: readonly string[]): string[] =>
  answers
    .map(normalizeAnswer)
    .filter((answer) => answer !== '' && !CLOSED.has(answer))
    .map((answer) => ` ${answer} `);

/** Whether one of the answers is in a text. */
export const holdsAnswer = (words: string, needles: readonly string[]): boolean =>
  needles.some((needle) => words.includes(needle));

/** Indices of the segments that carry evidence: results and background that the environment wrote. */
export const evidenceSegments = ({ segments }: Pick<ImportedRollout, 'segments'>): number[] =>
  segments.flatMap(({ source, role }, index) =>
    source === 'environment' && (role === 'result' || role === 'background') ? [index] : [],
  );

/** Searches that were made; queries that the policy wrote where the record has no events to count. */
export const searchesIn = (rollout: Pick<ImportedRollout, 'segments' | 'events'>): number =>
  rollout.events ? countSearches(rollout.events) : queriesIn(rollout);

const queriesIn = ({ segments }: Pick<ImportedRollout, 'segments'>): number =>
  segments.filter(({ source, role }) => source === 'policy' && role === 'search').length;

export function readFactsOf(rollout: ImportedRollout): RolloutFacts {
  const { answers } = rollout.question;
  const { answer, segments } = rollout;
  const needles = needlesOf(answers);
  const scored = goldsToScore(rollout).length > 0;
  const closed = isClosedQuestion(rollout.question);
  const error = errorOf(rollout);
  const read = evidenceSegments(rollout);
  const retrieved =
    !closed &&
    read.some((i) => holdsAnswer(segmentWords(itemAt(segments, i, 'segments')), needles));
  const shown = read.length > 0;
  return {
    id: rollout.id,
    questionId: rollout.question.id,
    groupId: rollout.groupId,
    step: rollout.step,
    golds: answers.length > 0,
    scores: scored ? questionScores(answer, rollout.question) : null,
    byR1Searcher: scored ? questionScores(answer, rollout.question, R1_SEARCHER) : null,
    answered: answer !== null && answer.trim() !== '',
    ...(outsideAnswer(rollout) !== null && { outside: true }),
    ...(unscoredReason(rollout) !== undefined && { unread: true }),
    ...(error !== undefined && { error }),
    judge: rollout.judge?.verdict ?? null,
    closed,
    retrieved,
    searches: searchesIn(rollout),
    shown,
    evidence: retrieved || (closed && (shown || needsNoPassage(rollout.question))),
    reward: rollout.reward,
    advantage: rollout.advantage,
  };
}
