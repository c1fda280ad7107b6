import type { Question } from '../../records/records.ts';
import type { RolloutMetrics } from '../../records/rollout.ts';
import { normalizeAnswer, type Normaliser, SQUAD } from './normalisers.ts';
import { answerScores, type AnswerScores } from './scores.ts';

/**
 * Answers of questions that have one right answer whatever its wording: an option of multiple choice, by
 * its text or its letter, and a number, as a number. There a wrong answer is half right in nothing, so
 * that all four scores are the check's.
 */

/** What a question says of how its answer is checked. */
export interface Checkable extends Pick<Question, 'answers' | 'options'> {
  /** A type of `Question`; other words have no type. */
  type?: string;
}

/** Types whose gold answers are numbers; a gold answer that is none is compared as text. */
const NUMERIC: ReadonlySet<string> = new Set(['arithmetic', 'computation', 'counting']);

const DIGITS = /^[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/u;

/** "1,234", "1234" and "1234.0" are one number; null where the text is none. */
export function numberOf(text: string): number | null {
  const digits = text
    .trim()
    .replace(/\.$/u, '')
    .replace(/^(?:−|–)/u, '-');
  return DIGITS.test(digits) ? Number(digits.replaceAll(',', '')) : null;
}

/** `B`, `b)`, `(B)`, `B.`, and a letter with the option after it: `B) Borfield`. */
const LETTER = /^\(?([a-z])\)?(?:[).:]\s*(.*))?$/isu;

/**
 * Places of the options that an answer names: those of its text, else that of its letter. None where it
 * is neither, or names a letter and another option's text.
 */
export function chosenOptions(answer: string, options: readonly string[]): number[] {
  const placesOf = (text: string): number[] => {
    const normal = normalizeAnswer(text);
    const number = numberOf(text);
    const raw = text.trim().toLowerCase();
    return options.flatMap((option, place) => {
      // Of an article nothing is left: "A" is a letter, unless it is an option.
      const worded =
        normal === '' ? option.trim().toLowerCase() === raw : normalizeAnswer(option) === normal;
      return worded || (number !== null && numberOf(option) === number) ? [place] : [];
    });
  };
  const text = answer.trim();
  const byText = text === '' ? [] : placesOf(text);
  if (byText.length > 0) return byText;
  const [whole, letter, rest = ''] = LETTER.exec(text) ?? [];
  if (whole === undefined || letter === undefined) return [];
  const place = letter.toUpperCase().charCodeAt(0) - 'A'.charCodeAt(0);
  if (place >= options.length) return [];
  return rest.trim() === '' || placesOf(rest).includes(place) ? [place] : [];
}

/** Whether an answer names an option that is right: one of the gold answers, as text or as a letter. */
function choosesRight(answer: string, { answers, options = [] }: Checkable): boolean {
  const right = new Set(answers.flatMap((gold) => chosenOptions(gold, options)));
  const chosen = chosenOptions(answer, options);
  return chosen.length > 0 && chosen.every((place) => right.has(place));
}

const ofCheck = (right: boolean): AnswerScores => {
  const score = Number(right);
  return { em: score, f1: score, coverEm: score, subEm: score };
};

/**
 * All scores of an answer to a question: by the check where the question has one, else the maximum over
 * its gold answers by the normaliser.
 * @param closed as `answerScores`
 */
export function questionScores(
  answer: string | null,
  question: Checkable,
  normaliser: Normaliser = SQUAD,
  closed = true,
): AnswerScores {
  const { answers, options = [], type } = question;
  if (answer === null) return ofCheck(false);
  const hasOption = answers.some((gold) => chosenOptions(gold, options).length > 0);
  if (hasOption) return ofCheck(choosesRight(answer, question));
  const numbers =
    type !== undefined && NUMERIC.has(type) ? answers.flatMap((gold) => numberOf(gold) ?? []) : [];
  if (numbers.length === 0) return answerScores(answer, answers, normaliser, closed);
  const given = numberOf(answer);
  if (given !== null) return ofCheck(numbers.includes(given));
  // "three" for 3: the gold answers that are words.
  const worded = answers.filter((gold) => numberOf(gold) === null);
  return ofCheck(answerScores(answer, worded, normaliser).em === 1);
}

/** A rollout's metrics from its answer and counts; null where the question has no gold answer. */
export function rolloutMetrics(
  answer: string | null,
  question: Checkable,
  counts: Pick<RolloutMetrics, 'recall' | 'searches' | 'tokens' | 'seconds' | 'formatValid'>,
): RolloutMetrics | null {
  if (question.answers.length === 0) return null;
  const { em, f1, coverEm } = questionScores(answer, question);
  return { em, f1, cover_em: coverEm, ...counts };
}
