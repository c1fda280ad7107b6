import type { VerdictEvent } from '../../records/events.ts';
import { canonicalAnswer, words } from '../answers/answers.ts';
import { mostConfident, type Candidate } from './candidates.ts';
import { overlap, type TokenForm } from './overlap.ts';
import { checkValidity, describeValidity, type Compared, type Validity } from './validity.ts';

/** STIE over answers: memory (5), filter (6)–(11), counts and blocked set (12)–(13). */

export interface AnswerRules {
  mode: 'paper' | 'corrected';
  tokens: TokenForm;
  current: 'most-confident' | 'first-sample';
  thresholds: readonly [number, number, number];
  maxCount: number;
}

/** One round's answer y_t after replacement, as memory keeps it. */
export interface Remembered extends Compared {
  canonical: string;
  confidence: number;
}

/** M_t of (5), n(y) of (12) and B of (13). A value: `judgeAnswers` returns the next one. */
export interface AnswerMemory {
  history: readonly Remembered[];
  counts: ReadonlyMap<string, number>;
  blocked: ReadonlySet<string>;
}

export const emptyMemory: AnswerMemory = { history: [], counts: new Map(), blocked: new Set() };

export type Verdict = Omit<VerdictEvent, 't' | 'segment' | 'kind' | 'over' | 'round'>;

/** Words of T(y): of the text as it is in `paper`, of the canonical form in `corrected`. */
export const answerTokens = (text: string, mode: 'paper' | 'corrected'): string[] =>
  mode === 'paper' ? words(text) : words(canonicalAnswer(text));

const remembered = (candidate: Candidate, mode: 'paper' | 'corrected'): Remembered => ({
  ...candidate,
  tokens: answerTokens(candidate.text, mode),
});

// Of two possible answers, to block one is to choose the other.
const CLOSED = new Set(['yes', 'no']);

/** Equations (12) and (13): counts y_t; at N it joins the blocked set, from the next round on. */
function remember(
  memory: AnswerMemory,
  answer: Remembered,
  { maxCount, mode }: AnswerRules,
): AnswerMemory {
  const count = (memory.counts.get(answer.canonical) ?? 0) + 1;
  const counts = new Map(memory.counts).set(answer.canonical, count);
  const blocked = new Set(memory.blocked);
  const closed = mode === 'corrected' && CLOSED.has(answer.canonical);
  if (count >= maxCount && !closed) blocked.add(answer.canonical);
  return { history: [...memory.history, answer], counts, blocked };
}

interface Judged {
  validity: Validity;
  valid: boolean;
  reason: string;
}

/** (9), with the two exceptions of `corrected`: empty is invalid, supported is exempt. */
function judge(
  answer: Remembered,
  memory: AnswerMemory,
  rules: AnswerRules,
  supports: (text: string) => boolean,
): Judged {
  const validity = checkValidity(answer, memory.history, rules.thresholds, rules.tokens);
  if (rules.mode === 'corrected') {
    if (answer.canonical === '') return { validity, valid: false, reason: 'the answer is empty' };
    if (!validity.valid && supports(answer.text)) {
      return {
        validity,
        valid: true,
        reason: 'supported by retrieved passages, so exempt from (9)',
      };
    }
  }
  return { validity, valid: validity.valid, reason: describeValidity(validity, 'answer') };
}

/**
 * One round over probed candidates. Blocked candidates leave the candidate space first (12); y_t is
 * taken from the rest; where (9) fails, the most confident other candidate outside B replaces it if
 * it is more confident, (10)–(11); what results is remembered and counted.
 *
 * @param candidates merged, in sampling order (the policy's first sample first)
 * @param supports whether retrieved passages hold an answer
 * @returns the verdict, y_t (null where every candidate is blocked) and the next memory
 */
export function judgeAnswers(
  candidates: readonly Candidate[],
  memory: AnswerMemory,
  rules: AnswerRules,
  supports: (text: string) => boolean,
): { verdict: Verdict; answer: Remembered | null; memory: AnswerMemory } {
  const free = candidates.filter((candidate) => !memory.blocked.has(candidate.canonical));
  const chosen = rules.current === 'first-sample' ? free[0] : mostConfident(free);
  if (!chosen) return nothingLeft(candidates, memory, rules.mode);
  const current = remembered(chosen, rules.mode);
  const judged = judge(current, memory, rules, supports);
  const alternative = mostConfident(free.filter((other) => other !== chosen));
  const replace =
    !judged.valid && alternative !== undefined && current.confidence < alternative.confidence;
  const answer = replace ? remembered(alternative, rules.mode) : current;
  const next = remember(memory, answer, rules);
  const verdict: Verdict = {
    mode: rules.mode,
    text: current.text,
    ...judged.validity,
    valid: judged.valid,
    action: replace ? 'replaced' : judged.valid ? 'kept' : 'kept-invalid',
    ...(replace ? { replacement: answer.text } : {}),
    reason: replace ? `${judged.reason}; "${answer.text}" is more confident` : judged.reason,
    counts: Object.fromEntries(next.counts),
    blocked: [...next.blocked],
  };
  return { verdict, answer, memory: next };
}

function nothingLeft(
  candidates: readonly Candidate[],
  memory: AnswerMemory,
  mode: 'paper' | 'corrected',
): { verdict: Verdict; answer: null; memory: AnswerMemory } {
  const verdict: Verdict = {
    mode,
    text: mostConfident(candidates)?.text ?? '',
    checks: [],
    aggDiff: null,
    valid: false,
    action: 'blocked',
    reason: candidates.length === 0 ? 'no candidate' : 'every candidate is in the blocked set',
    counts: Object.fromEntries(memory.counts),
    blocked: [...memory.blocked],
  };
  return { verdict, answer: null, memory };
}

/** Mean overlap of one answer with others, (6); 0 without others. */
export function meanOverlap(
  answer: Compared,
  others: readonly Compared[],
  form: TokenForm,
): number {
  if (others.length === 0) return 0;
  const total = others.reduce((sum, other) => sum + overlap(answer.tokens, other.tokens, form), 0);
  return total / others.length;
}

/**
 * The final candidate: highest confidence, then lowest redundancy, never a blocked one.
 * @param blocked B of the round that decides: an answer that reached N in it is blocked only after it
 */
export function finalCandidate(
  memory: AnswerMemory,
  form: TokenForm,
  blocked: ReadonlySet<string> = memory.blocked,
): Remembered | null {
  const free = memory.history.filter(
    (answer) => !blocked.has(answer.canonical) && answer.tokens.length > 0,
  );
  const redundancy = (answer: Remembered): number =>
    meanOverlap(
      answer,
      memory.history.filter((other) => other !== answer),
      form,
    );
  const ranked = free.toSorted(
    (a, b) => b.confidence - a.confidence || redundancy(a) - redundancy(b),
  );
  return ranked[0] ?? null;
}
