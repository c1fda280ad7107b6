import { sha256 } from '../../base/hash.ts';
import type { TextModel } from '../../policy/text-model.ts';
import { LruCache } from '../../base/lru.ts';
import { askAgain, judgeMessages, PROMPT_VERSION, type JudgedAnswer } from './prompt.ts';
import { readVerdict, type Verdict } from './verdict.ts';

export interface Judgement {
  verdict: Verdict;
  /** The model, or `rule` where there was nothing to judge. */
  by: string;
  /** What the model replied last; empty for `rule`. */
  said: string;
  cached: boolean;
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
}

const keyOf = (id: string, { question, golds, prediction }: JudgedAnswer): Promise<string> =>
  sha256(JSON.stringify([id, question, golds, prediction]));

/** A judge from a language model: greedy, so that it says the same again where the model does. */
export function createJudge(model: TextModel, options: JudgeOptions = {}): Judge {
  const { entries = 4096, attempts = 2, maxTokens = 512 } = options;
  const id = `lj/${PROMPT_VERSION}:${model.id}`;
  const cache = new LruCache<Judgement>(entries);
  const ask = async (answer: JudgedAnswer, signal?: AbortSignal): Promise<Judgement> => {
    const messages = judgeMessages(answer);
    let said = '';
    for (let attempt = 0; attempt < attempts; attempt++) {
      const asked = attempt === 0 ? messages : [...messages, ...askAgain(said)];
      said = await model.complete(asked, {
        maxTokens,
        temperature: 0,
        ...(signal ? { signal } : {}),
      });
      const verdict = readVerdict(said);
      if (verdict !== 'unreadable') return { verdict, by: id, said, cached: false };
    }
    return { verdict: 'unreadable', by: id, said, cached: false };
  };
  return {
    id,
    async judge(answer, signal) {
      signal?.throwIfAborted();
      if (answer.golds.length === 0)
        throw new RangeError('there is no gold answer to judge against');
      if (answer.prediction === null || answer.prediction.trim() === '')
        return { verdict: 'wrong', by: 'rule', said: '', cached: false };
      const key = await keyOf(id, answer);
      const known = cache.get(key);
      if (known) return { ...known, cached: true };
      const judgement = await ask(answer, signal);
      // An unreadable reply may be readable next time.
      if (judgement.verdict !== 'unreadable') cache.set(key, judgement);
      return judgement;
    },
  };
}
