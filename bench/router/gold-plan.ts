import type { ChainStep, Question } from '../../src/records/records.ts';
import type {
  Generated,
  GenerateOptions,
  Policy,
  PolicySession,
  PolicyTokenizer,
} from '../../src/policy/policy.ts';

/**
 * A policy that is no language model: it writes the gold queries of one question's chain, in order,
 * and reads the results only for whether the wanted passage's title is among them. A step that
 * missed is asked once more, as the trained policies do; steps that need its object are left out.
 * What the router is trained on is then the searches alone, without a model's mistakes.
 */
class GoldPlan {
  readonly #chain: readonly ChainStep[];
  readonly #unknown = new Set<string>();
  #at = 0;
  #asks = 0;

  constructor(chain: readonly ChainStep[]) {
    this.#chain = chain;
  }

  /** The next query; null where all that can be asked was. */
  next(): string | null {
    for (; this.#at < this.#chain.length; this.#at++) {
      const step = this.#chain[this.#at]!;
      if (!this.#unknown.has(step.subject)) {
        this.#asks += 1;
        return step.query;
      }
      this.#unknown.add(step.object);
    }
    return null;
  }

  read(result: string): void {
    const step = this.#chain[this.#at];
    if (!step) return;
    const found = result.includes(` ${step.title} :`);
    if (!found && this.#asks < 2) return;
    if (!found) this.#unknown.add(step.object);
    this.#at += 1;
    this.#asks = 0;
  }
}

const special = (tokenizer: PolicyTokenizer, token: string): number => {
  const id = tokenizer.specialId(token);
  if (id === undefined) throw new Error(`the tokenizer has no ${token}`);
  return id;
};

class GoldSession implements PolicySession {
  length = 0;
  readonly #tokenizer: PolicyTokenizer;
  readonly #plan: GoldPlan;
  readonly #answer: string;
  #asked = false;

  constructor(tokenizer: PolicyTokenizer, question: Question) {
    this.#tokenizer = tokenizer;
    this.#plan = new GoldPlan(question.chain ?? []);
    this.#answer = question.answers[0] ?? '';
  }

  append(ids: readonly number[]): void {
    this.length += ids.length;
    const text = this.#tokenizer.decode(ids);
    if (this.#asked && text.includes('</result>')) this.#plan.read(text.replaceAll('\n', ' '));
  }

  generate(options: GenerateOptions): Promise<Generated> {
    const out: Generated = { ids: [], logprobs: [], entropies: [], finish: 'length' };
    for (const id of options.maxTokens > 0 ? this.#block() : []) {
      out.ids.push(id);
      out.logprobs.push(0);
      out.entropies.push(0);
      if (options.stopIds.includes(id)) out.finish = 'stop';
      if (out.finish === 'stop' || out.ids.length >= options.maxTokens) break;
    }
    this.length += out.ids.length;
    if (out.ids.length > 0)
      options.onTokens?.({ ids: out.ids, logprobs: out.logprobs, entropies: out.entropies });
    return Promise.resolve(out);
  }

  #block(): number[] {
    const t = this.#tokenizer;
    const query = this.#plan.next();
    this.#asked = true;
    const thought = [special(t, '<think>'), ...t.encodeText(' as planned'), special(t, '</think>')];
    if (query === null)
      return [
        ...thought,
        special(t, '<short_answer>'),
        ...t.encodeText(` \\boxed{ ${this.#answer} }`),
        special(t, '</short_answer>'),
        t.endOfText,
      ];
    return [
      ...thought,
      special(t, '<search>'),
      ...t.encodeText(` ${query}`),
      special(t, '</search>'),
    ];
  }

  fork(): Promise<PolicySession> {
    return Promise.reject(new Error('a gold plan has no candidates to probe'));
  }

  close(): void {}
}

export function goldPlanPolicy(tokenizer: PolicyTokenizer, question: Question): Policy {
  return {
    tokenizer,
    info: {
      id: 'gold-plan',
      revision: '0',
      parameters: 0,
      maxContext: 2048,
      device: 'wasm',
      dtype: 'f32',
    },
    open: () => Promise.resolve(new GoldSession(tokenizer, question)),
    dispose: () => undefined,
  };
}
