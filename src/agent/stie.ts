import { sum, mean } from '../base/statistics.ts';
import type { DifferenceCheck, VerdictEvent, StopClause, StopEvent } from '../records/events.ts';
import { present } from '../base/items.ts';
import type { SampledTokens } from '../policy/policy.ts';
import { canonicalAnswer, words } from './answers/normalisers.ts';
import type { SearchTarget, SourceName } from '../records/hits.ts';
import { contentWords, namesIn } from './answers/evidence.ts';

/** Equations (6)–(8) of arXiv 2506.19466: how far one text is new beside earlier ones. */

type TokenForm = 'sets' | 'bags';

const counts = (tokens: readonly string[], form: TokenForm): Map<string, number> => {
  const out = new Map<string, number>();
  for (const token of tokens) out.set(token, form === 'sets' ? 1 : (out.get(token) ?? 0) + 1);
  return out;
};

/**
 * Equation (6): `|T(y_t) ∩ T(y_k)| / |T(y_t)|`, in [0, 1]; as bags, intersection takes the smaller
 * count of each word. A text without words overlaps nothing: 0.
 */
export function overlap(
  current: readonly string[],
  earlier: readonly string[],
  form: TokenForm,
): number {
  const own = counts(current, form);
  const size = sum(own.values());
  if (size === 0) return 0;
  const other = counts(earlier, form);
  return sum([...own].map(([token, n]) => Math.min(n, other.get(token) ?? 0))) / size;
}

/** Equation (7). */
export const difference = (
  current: readonly string[],
  earlier: readonly string[],
  form: TokenForm,
): number => 1 - overlap(current, earlier, form);

/** Equation (8): the least difference; null without history. */
export const aggregatedDifference = (differences: readonly number[]): number | null =>
  differences.length === 0 ? null : Math.min(...differences);

/** Equation (9) of arXiv 2506.19466: is a text new enough beside the last three? */

/** A text as STIE compares it: how it is shown, and its words. */
interface Compared {
  text: string;
  tokens: readonly string[];
}

interface Validity {
  checks: DifferenceCheck[];
  /** Equation (8); null without history. */
  aggDiff: number | null;
  /** Equation (9): every check passed. */
  valid: boolean;
}

const LAGS = [1, 2, 3] as const;

/**
 * Compares with the texts 1, 2 and 3 rounds back; lags beyond the history are left out.
 * @param history oldest first
 * @param thresholds δ1, δ2, δ3
 */
export function checkValidity(
  current: Compared,
  history: readonly Compared[],
  thresholds: readonly [number, number, number],
  form: TokenForm,
): Validity {
  const checks: DifferenceCheck[] = [];
  for (const lag of LAGS) {
    const earlier = history.at(-lag);
    const threshold = thresholds[lag - 1];
    if (!earlier || threshold === undefined) continue;
    const diff = difference(current.tokens, earlier.tokens, form);
    checks.push({
      lag,
      against: earlier.text,
      overlap: overlap(current.tokens, earlier.tokens, form),
      diff,
      threshold,
      passed: diff >= threshold,
    });
  }
  return {
    checks,
    aggDiff: aggregatedDifference(checks.map((check) => check.diff)),
    valid: checks.every((check) => check.passed),
  };
}

const LAG_WORDS = { 1: 'the last', 2: 'the second last', 3: 'the third last' } as const;

/** The first failed check as text, or why nothing failed. */
export function describeValidity(validity: Validity, what: string): string {
  const failed = validity.checks.find((check) => !check.passed);
  if (failed) {
    return `differs ${failed.diff.toFixed(2)} from ${LAG_WORDS[failed.lag]} ${what}, needs ${failed.threshold}`;
  }
  if (validity.checks.length === 0)
    return what === 'answer' ? 'first guess if it had to stop now' : `first ${what}`;
  return `differs enough from the last ${validity.checks.length}`;
}

/** Candidates of one round and their confidence. */

export interface Candidate {
  text: string;
  /** The form under which it is counted and blocked. */
  canonical: string;
  /** Mean or minimum token log-probability, or the logarithm of `agreement`; at most 0. */
  confidence: number;
  /** Samples that gave it; absent: one. */
  samples?: number;
}

/** One sample before it is judged; its confidence is null where the policy gave no log-probabilities. */
export type Sample = Omit<Candidate, 'confidence'> & { confidence: number | null };

/** Confidence of sampled tokens: mean or least log-probability; −∞ without tokens. */
export function confidenceOf(sampled: Pick<SampledTokens, 'logprobs'>, by: 'mean' | 'min'): number {
  const { logprobs } = sampled;
  if (logprobs.length === 0) return -Infinity;
  if (by === 'min') return Math.min(...logprobs);
  return mean(logprobs);
}

/**
 * Confidence without log-probabilities: ln(n / (K + 1)) for an answer that n of K samples gave. The one
 * sample more stands for answers not seen, so that K equal samples are not certainty.
 */
export function agreement(samples: readonly Sample[]): Candidate[] {
  const counts = new Map<string, number>();
  for (const { canonical } of samples) counts.set(canonical, (counts.get(canonical) ?? 0) + 1);
  return samples.map((sample) => ({
    ...sample,
    confidence: Math.log(
      present(counts.get(sample.canonical), 'the count of a sample') / (samples.length + 1),
    ),
  }));
}

/** How an answer is counted: as it is in `paper`, canonically in `corrected`. */
export const countedForm = (text: string, mode: 'paper' | 'corrected'): string =>
  mode === 'paper' ? text.trim() : canonicalAnswer(text);

/** One entry per counted form, in order of first appearance, with its best confidence. */
export function mergeCandidates(candidates: readonly Candidate[]): Candidate[] {
  const merged = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const known = merged.get(candidate.canonical);
    const best = known && known.confidence >= candidate.confidence ? known : candidate;
    const samples = (known ? (known.samples ?? 1) : 0) + (candidate.samples ?? 1);
    merged.set(candidate.canonical, samples > 1 ? { ...best, samples } : best);
  }
  return [...merged.values()];
}

/** The most confident; the earlier one of a tie. */
export const mostConfident = (candidates: readonly Candidate[]): Candidate | undefined => {
  let best: Candidate | undefined;
  for (const candidate of candidates) {
    if (!best || candidate.confidence > best.confidence) best = candidate;
  }
  return best;
};

/** STIE over search queries: the same rule (9), so that no query repeats the last three. */

interface QueryRules {
  mode: 'paper' | 'corrected';
  tokens: TokenForm;
  thresholds: readonly [number, number, number];
}

/** A query that a source answered. */
interface AskedQuery {
  query: string;
  source: SearchTarget;
}

/** What is known when a query is judged. */
export interface QueryContext {
  /** Oldest first. */
  history: readonly AskedQuery[];
  /** Words of the names in question and passages, lower case. */
  nameWords: ReadonlySet<string>;
  /** Single sources that the search may go to; none where it goes to a fixed one or to both. */
  reachable: readonly SourceName[];
}

interface QueryJudgement {
  verdict: Verdict;
  /** The only source that a repeated query may be asked of; null where any will do. */
  only: SourceName | null;
}

const compared = (text: string): Compared => ({ text, tokens: words(text) });

/**
 * Whether a query asks something else than an earlier one that it resembles: it names something that
 * the earlier one does not name, at least half of its other content words are new, or it leaves some of the
 * earlier one's out. (9) divides by the words of the later one, so that it takes a wider query for a mere
 * repetition, though it finds other passages.
 */
function asksElse(query: string, earlier: string, nameWords: ReadonlySet<string>): boolean {
  const known = new Set(words(earlier));
  const content = contentWords(query);
  // A name that no passage holds is a name all the same.
  const own = new Set(namesIn(query).flatMap(words));
  const isName = (word: string): boolean => nameWords.has(word) || own.has(word);
  if (content.some((word) => isName(word) && !known.has(word))) return true;
  if (content.length > 0 && contentWords(earlier).some((word) => !content.includes(word)))
    return true;
  const rest = content.filter((word) => !isName(word));
  const fresh = rest.filter((word) => !known.has(word));
  return rest.length > 0 && fresh.length >= rest.length / 2;
}

/** Why a query that fails (9) against `failed` may be asked all the same; null where it may not. */
function exemption(
  query: string,
  failed: readonly AskedQuery[],
  { nameWords, reachable }: QueryContext,
): { reason: string; only: SourceName | null } | null {
  const repeats = failed.filter((earlier) => !asksElse(query, earlier.query, nameWords));
  if (repeats.length === 0) {
    const reason =
      'shares words with an earlier query, but asks for something else, or more widely';
    return { reason, only: null };
  }
  const asked = new Set(repeats.map((earlier) => earlier.source));
  const only = asked.has('both') ? undefined : reachable.find((source) => !asked.has(source));
  return only ? { reason: `repeats a query, but ${only} was not asked it yet`, only } : null;
}

/**
 * Judges one query. Consecutive hops rightly share words ("director of X", "birth city of X",
 * "director of Y"), so `corrected` exempts a query that asks something else than each one it fails
 * against, and a repeat that goes to a source which has not answered it: what it brings is new.
 */
export function judgeQuery(
  query: string,
  context: QueryContext,
  rules: QueryRules,
): QueryJudgement {
  const history = context.history.map((asked) => compared(asked.query));
  const validity = checkValidity(compared(query), history, rules.thresholds, rules.tokens);
  const failed = validity.checks
    .filter((check) => !check.passed)
    .flatMap((check) => context.history.at(-check.lag) ?? []);
  const exempt =
    failed.length > 0 && rules.mode === 'corrected' ? exemption(query, failed, context) : null;
  const valid = validity.valid || exempt !== null;
  const verdict: Verdict = {
    mode: rules.mode,
    text: query,
    ...validity,
    valid,
    action: valid ? 'kept' : 'refused',
    reason: exempt?.reason ?? describeValidity(validity, 'query'),
    counts: {},
    blocked: [],
  };
  return { verdict, only: exempt?.only ?? null };
}

/** STIE over answers: memory (5), filter (6)–(11), counts and blocked set (12)–(13). */

export interface AnswerRules {
  mode: 'paper' | 'corrected';
  tokens: TokenForm;
  current: 'most-confident' | 'first-sample';
  thresholds: readonly [number, number, number];
  maxCount: number;
}

/** One round's answer y_t after replacement, as memory keeps it. */
interface Remembered extends Compared {
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

/**
 * The three stop rules of arXiv 2506.19466, section 2.2, "Termination Control". They are in its text,
 * without equations or constants: (6) is all that they share with (5) to (13). The rule on overlap says
 * "falls below a threshold": as printed the first answer that differs from the earlier ones ends the
 * reasoning, though (9) has just called it valid.
 */

export interface StopRules {
  mode: 'paper' | 'corrected';
  tokens: TokenForm;
  overlap: 'by-mode' | 'above' | 'literal' | 'off';
  overlapThreshold: number;
  minHistory: number;
  confidence: boolean;
  epsilon: number;
  newInformation: boolean;
  minNewInformation: number;
}

/** What this round's passages brought, and STIE's verdict on y_t. */
interface RoundOutcome {
  entities: number;
  facts: number;
  /** Rounds in a row, this one included, that brought no more than `minNewInformation`. */
  idleRounds: number;
  /** Valid by (9), or exempt because passages support it. */
  valid: boolean;
}

export interface StieStop {
  reason: Extract<StopEvent['reason'], `stie-${string}`>;
  detail: string;
  clause: StopClause;
}

/**
 * Mean overlap with history `above` the threshold, or, as printed, `literal`ly below it. An answer
 * that is repeated without support is stuck, which (12) and (13) are for; `corrected` takes agreement
 * for convergence only where the answer is as valid.
 */
function overlapStop(
  memory: AnswerMemory,
  { valid }: RoundOutcome,
  rules: StopRules,
): StieStop | null {
  const current = memory.history.at(-1);
  const earlier = memory.history.slice(0, -1);
  const above =
    rules.overlap === 'by-mode' ? rules.mode === 'corrected' : rules.overlap === 'above';
  const needed = above ? rules.minHistory : 1;
  if (!current || earlier.length < needed || rules.overlap === 'off') return null;
  // (6) divides by |T(y_t)|: an answer without words overlaps neither little nor much.
  if (current.tokens.length === 0) return null;
  if (above && rules.mode === 'corrected' && !valid) return null;
  const mean = meanOverlap(current, earlier, rules.tokens);
  const threshold = rules.overlapThreshold;
  if (above ? mean < threshold : mean >= threshold) return null;
  const among = `mean overlap ${mean.toFixed(2)} with ${earlier.length} earlier answer${earlier.length === 1 ? '' : 's'}`;
  return {
    reason: 'stie-overlap',
    detail: above
      ? `${among}, at or above ${threshold}: the answers agree`
      : `${among}, below ${threshold}: as printed, too little overlap ends the reasoning`,
    clause: { rule: above ? 'overlap-above' : 'overlap-below', value: mean, threshold },
  };
}

/** What is lacking to certainty. */
const short = (value: number): string => (value === 0 ? '0' : String(Number(value.toPrecision(1))));

/** exp(confidence) ≥ 1 − ε; `paper` has no ε: the upper limit is 1 itself. */
function confidenceStop(memory: AnswerMemory, rules: StopRules): StieStop | null {
  const current = memory.history.at(-1);
  if (!current || !rules.confidence || current.tokens.length === 0) return null;
  const ceiling = rules.mode === 'paper' ? 1 : 1 - rules.epsilon;
  const probability = Math.exp(current.confidence);
  if (probability < ceiling) return null;
  return {
    reason: 'stie-confidence',
    detail: `confidence 1 − ${short(1 - probability)} reached 1 − ${short(1 - ceiling)}`,
    clause: { rule: 'confidence', value: probability, threshold: ceiling },
  };
}

/** After one round without news a model often asks the other source, so that `corrected` stops after two in a row. */
function informationStop(
  round: RoundOutcome,
  memory: AnswerMemory,
  rules: StopRules,
): StieStop | null {
  if (!rules.newInformation || memory.history.length === 0) return null;
  const enough = rules.mode === 'paper' ? 1 : 2;
  if (round.idleRounds < enough) return null;
  return {
    reason: 'stie-no-new-information',
    detail: `${round.entities} new entities and ${round.facts} new facts, needs more than ${rules.minNewInformation}; ${round.idleRounds} such rounds in a row`,
    clause: {
      rule: 'new-information',
      value: round.entities + round.facts,
      threshold: rules.minNewInformation,
    },
  };
}

/**
 * Whether reasoning stops after this round, by the first rule that says so.
 * @param memory after this round; its last answer is y_t
 */
export const stieStop = (
  memory: AnswerMemory,
  round: RoundOutcome,
  rules: StopRules,
): StieStop | null =>
  overlapStop(memory, round, rules) ??
  confidenceStop(memory, rules) ??
  informationStop(round, memory, rules);
