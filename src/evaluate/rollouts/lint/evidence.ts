import { contentWords } from '../../../agent/answers/evidence.ts';
import { normalizeAnswer } from '../../../agent/answers/normalisers.ts';
import type { ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';
import { outsideAnswer } from '../../../records/outside-answer.ts';
import type { TextSpan } from '../../../formats/rollouts/rounds.ts';
import {
  evidenceSegments,
  holdsAnswer,
  isClosed,
  isClosedQuestion,
  needlesOf,
  needsNoPassage,
  readFactsOf,
  segmentWords,
} from './facts.ts';
import { finding, type Finding } from './finding.ts';
import { itemAt } from '../../../base/items.ts';

/** The answer against what was read. Lexical, as `searching.ts` is. */

/** First place of a text in a segment, by letters; the whole segment where normalisation hides it. */
function locate({ segments }: ImportedRollout, segment: number, needle: string): TextSpan {
  const { text } = itemAt(segments, segment, 'segments');
  const at = text.toLowerCase().indexOf(needle.trim().toLowerCase());
  if (at < 0) return { segment, start: 0, end: text.length };
  return { segment, start: at, end: at + needle.trim().length };
}

/**
 * Under-search: the answer given is in nothing that was read. A yes or no, and what is worked out from
 * what was read, is under-searched only where nothing was read at all; what needs no passage never is.
 */
export function underSearch(rollout: ImportedRollout): Finding[] {
  const { answer, segments } = rollout;
  if (answer === null || normalizeAnswer(answer) === '') return [];
  if (needsNoPassage(rollout.question)) return [];
  const read = evidenceSegments(rollout);
  if (read.length === 0)
    return [finding(rollout, 'under-search', 'Answered without having read anything.')];
  const needles = needlesOf([answer]);
  if (
    isClosed([answer]) ||
    isClosedQuestion(rollout.question) ||
    read.some((i) => holdsAnswer(segmentWords(itemAt(segments, i, 'segments')), needles))
  )
    return [];
  const where =
    read.length === 1 ? 'is not in the only result' : `is in none of the ${read.length} results`;
  const message = `"${answer.trim().slice(0, 120)}" ${where}.`;
  return [finding(rollout, 'under-search', message)];
}

/** What was given, as text: the answer, or prose outside the tags. */
function givenWords(rollout: ImportedRollout): string {
  const outside = outsideAnswer(rollout);
  const text = (rollout.answer ?? outside)?.trim().slice(0, 120);
  if (text === undefined) return 'no answer was given';
  return `"${text}" was given${outside === null ? '' : ' outside the tags'}`;
}

/** A gold answer was shown, and the answer given does not cover it; a judge that says "right" overrules. */
export function answerSeenNotGiven(rollout: ImportedRollout): Finding[] {
  const { scores, retrieved, judge } = readFactsOf(rollout);
  if (!scores || !retrieved || scores.coverEm === 1 || judge === true) return [];
  const { answers } = rollout.question;
  const golds = answers.map((text) => ({ text, needles: needlesOf([text]) }));
  const where = evidenceSegments(rollout).flatMap((i) => {
    const words = segmentWords(itemAt(rollout.segments, i, 'segments'));
    const gold = golds.find(({ needles }) => holdsAnswer(words, needles));
    return gold === undefined ? [] : [locate(rollout, i, gold.text)];
  });
  const given = givenWords(rollout);
  const message = `${where.length === 1 ? 'One result holds' : `${where.length} results hold`} the gold answer; ${given}.`;
  return [finding(rollout, 'answer-seen-not-given', message, where)];
}

const SENTENCE = /[^.!?\n]+(?:[.!?](?=\d)[^.!?\n]*)*[.!?]?/g;
const NUMBER = /\d+(?:[.,]\d+)*/g;
/** Share of the claim's words that a sentence must hold to be about the same matter. */
const SAME_MATTER = 0.6;
/** Claims that are compared with every sentence: the last ones, nearest to the answer. */
const MOST_CLAIMS = 20;

const numbersIn = (text: string): string[] =>
  (text.match(NUMBER) ?? []).map((number) => number.replaceAll(',', ''));

/** Sentences of a segment, and where they stand. */
const sentencesOf = (text: string, segment: number): (TextSpan & { text: string })[] =>
  [...text.matchAll(SENTENCE)].map((match) => ({
    segment,
    start: match.index,
    end: match.index + match[0].length,
    text: match[0],
  }));

/**
 * Contradiction, for answers with a number (a year, an age, a count): no passage holds the number, and a
 * passage has a sentence with at least 60 % of the content words of the policy's own claim (three at
 * least), another number, and none of the claim's numbers.
 */
export function contradictsEvidence(rollout: ImportedRollout): Finding[] {
  const given = numbersIn(rollout.answer ?? '');
  if (given.length === 0) return [];
  const read = evidenceSegments(rollout).flatMap((i) =>
    sentencesOf(itemAt(rollout.segments, i, 'segments').text, i),
  );
  const shown = new Set(read.flatMap(({ text }) => numbersIn(text)));
  if (given.some((number) => shown.has(number))) return [];
  const claims = rollout.segments.flatMap(({ source, role, text }, i) =>
    source === 'policy' && role !== 'search' && role !== 'answer'
      ? sentencesOf(text, i).filter(({ text: own }) =>
          numbersIn(own).some((n) => given.includes(n)),
        )
      : [],
  );
  const others = read
    .filter(({ text }) => numbersIn(text).length > 0)
    .map((sentence) => ({ ...sentence, has: new Set(contentWords(sentence.text)) }));
  for (const claim of claims.slice(-MOST_CLAIMS)) {
    const wanted = [...new Set(contentWords(claim.text).filter((word) => !/\d/.test(word)))];
    if (wanted.length < 3) continue;
    const share = (has: ReadonlySet<string>): number =>
      wanted.filter((word) => has.has(word)).length / wanted.length;
    const sentence = others.find(({ has }) => share(has) >= SAME_MATTER);
    if (!sentence) continue;
    const message = `The policy says "${claim.text.trim()}"; the passage says "${sentence.text.trim()}".`;
    const where = [claim, sentence].map(({ segment, start, end }) => ({ segment, start, end }));
    return [finding(rollout, 'contradicts-evidence', message, where)];
  }
  return [];
}
