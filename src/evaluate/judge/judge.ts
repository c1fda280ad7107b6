import { sha256 } from '../../base/hash.ts';
import type { TextModel, TokenUse } from '../../policy/text-model.ts';
import { LruCache } from '../../base/lru.ts';
import { askAgain, judgeMessages, PROMPT_VERSION, type JudgedAnswer } from './prompt.ts';

/** What one verdict took; a reply that was asked for again counts twice. */
interface VerdictCost {
  calls: number;
  /** Calls whose tokens the model did not report. */
  uncounted: number;
  prompt: number;
  completion: number;
  /** Of the calls, added up. */
  seconds: number;
}

type Verdict = 'right' | 'wrong' | 'unreadable';

const WORDS = new Map<string, Verdict>([
  ['true', 'right'],
  ['false', 'wrong'],
]);

const LABELLED =
  /\b(?:verdict|judg(?:e)?ment|answer|grade|result)\W{0,4}\s*(?:is\s+)?\W{0,3}(true|false)\b/giu;

/** The verdict of a line that says nothing but one of the two words. */
const lineVerdict = (line: string): Verdict | undefined =>
  WORDS.get(
    line
      .replace(/[^\p{L}]+/gu, ' ')
      .trim()
      .toLowerCase(),
  );

/**
 * Reads a judge's reply, thoughts left out: the word alone, on its first or last line, or after a
 * label ("Verdict: True"). Whatever says both, or says it in passing ("not true"), is unreadable and
 * counts neither for nor against.
 */
export function readVerdict(said: string): Verdict {
  const text = said.replace(/<think>[\s\S]*?(?:<\/think>|$)/giu, '').trim();
  const lines = text.split(/\n+/u).filter((line) => line.trim() !== '');
  const found = new Set<Verdict>();
  for (const line of [lines[0], lines.at(-1)]) {
    const verdict = lineVerdict(line ?? '');
    if (verdict) found.add(verdict);
  }
  for (const [, word = ''] of text.matchAll(LABELLED)) {
    const verdict = WORDS.get(word.toLowerCase());
    if (verdict) found.add(verdict);
  }
  const [only] = found;
  return found.size === 1 && only ? only : 'unreadable';
}

export interface Judgement {
  verdict: Verdict;
  /** The model, or `rule` where there was nothing to judge. */
  by: string;
  /** What the model replied last; empty for `rule`. */
  said: string;
  cached: boolean;
  /** Absent where the judge does not count. */
  spent?: VerdictCost;
}

export interface Judge {
  /** Names the model and the prompt: part of the key of caches. */
  readonly id: string;
  /**
   * @throws RangeError where there is no gold answer; what the model throws; the signal's reason where
   * it was aborted
   */
  judge(answer: JudgedAnswer, signal?: AbortSignal): Promise<Judgement>;
}

export interface JudgeOptions {
  /** Verdicts kept. */
  entries?: number;
  /** Replies asked for before a verdict counts as unreadable. */
  attempts?: number;
  /** Room for a reply; reasoning models need more. */
  maxTokens?: number;
  /** Clock in milliseconds; given, every verdict says what it took. */
  clock?: () => number;
  /** Verdicts of an earlier run by their keys: they are not asked for again. */
  known?: ReadonlyMap<string, Judgement>;
}

/** What a verdict depends on: the judge with its prompt, the question, the gold answers, the prediction. */
export const judgementKey = (
  id: string,
  { question, golds, prediction }: JudgedAnswer,
): Promise<string> => sha256(JSON.stringify([id, question, golds, prediction]));

function addCall(spent: VerdictCost, use: TokenUse | null, seconds: number): void {
  spent.calls += 1;
  spent.seconds += seconds;
  if (!use) spent.uncounted += 1;
  spent.prompt += use?.prompt ?? 0;
  spent.completion += use?.completion ?? 0;
}

export const judgeIdOf = (model: string): string => `lj/${PROMPT_VERSION}:${model}`;

/** A judge from a language model: greedy, so that it says the same again where the model does. */
export function createJudge(model: TextModel, options: JudgeOptions = {}): Judge {
  const { entries = 4096, attempts = 2, maxTokens = 512, clock, known = new Map() } = options;
  const id = judgeIdOf(model.id);
  const cache = new LruCache<Judgement>(entries + known.size);
  for (const [key, judgement] of known) cache.set(key, judgement);
  const ask = async (answer: JudgedAnswer, signal?: AbortSignal): Promise<Judgement> => {
    const messages = judgeMessages(answer);
    let said = '';
    const spent: VerdictCost = { calls: 0, uncounted: 0, prompt: 0, completion: 0, seconds: 0 };
    const counts = clock && { spent };
    for (let attempt = 0; attempt < attempts; attempt++) {
      const asked = attempt === 0 ? messages : [...messages, ...askAgain(said)];
      let use: TokenUse | null = null;
      const start = clock?.() ?? 0;
      said = await model.complete(asked, {
        maxTokens,
        temperature: 0,
        ...(signal ? { signal } : {}),
        ...(clock && { onUse: (told: TokenUse) => (use = told) }),
      });
      addCall(spent, use, ((clock?.() ?? 0) - start) / 1000);
      const verdict = readVerdict(said);
      if (verdict !== 'unreadable') return { verdict, by: id, said, cached: false, ...counts };
    }
    return { verdict: 'unreadable', by: id, said, cached: false, ...counts };
  };
  return {
    id,
    async judge(answer, signal) {
      signal?.throwIfAborted();
      if (answer.golds.length === 0)
        throw new RangeError('there is no gold answer to judge against');
      if (answer.prediction === null || answer.prediction.trim() === '')
        return { verdict: 'wrong', by: 'rule', said: '', cached: false };
      const key = await judgementKey(id, answer);
      const before = cache.get(key);
      if (before) return { ...before, cached: true };
      const judgement = await ask(answer, signal);
      // An unreadable reply may be readable next time.
      if (judgement.verdict !== 'unreadable') cache.set(key, judgement);
      return judgement;
    },
  };
}
