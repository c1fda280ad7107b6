import type { Hit } from '../../../records/hits.ts';
import type { ChainStep } from '../../../records/records.ts';
import type { AsideEvent } from '../../../records/events.ts';
import type { Method } from '../../../recipes/methods/method.ts';
import type { RecipeSettings } from '../../../recipes/parts/settings.ts';
import type { Aside } from '../../transcript/aside.ts';
import type { BlockKind } from '../../transcript/dialects/dialect.ts';

/**
 * What the loops of systems without training are written in: the steps that a policy and its environment may take. Each
 * one leaves its events and its segments in the record.
 */

/** Result of one policy step. */
export interface StepOutcome {
  /** The last thought in them; null without one. */
  thought: string | null;
  /** The query, where it made a search of its own. */
  query: string | null;
  /** `thought`: at the end of a thought, or after a fault; the policy may continue. */
  ended: 'thought' | 'action';
  /** Does what it asked for: a search, an answer, the end of its turn, a limit. @returns whether the rollout is over */
  act(): Promise<boolean>;
}

/** One sentence that the policy would write next, in a fork. */
export interface LookAhead {
  text: string;
  /** The pieces of its text without tags, with their probabilities; null where the policy gives none. */
  pieces: readonly { text: string; probability: number }[] | null;
  /** Makes it the policy's next words. */
  adopt(): StepOutcome;
  /** Leaves it: what is in the record is that it was tried, and what came of it. */
  drop(outcome: string): void;
}

/** The next action of the policy as it wrote it in a fork. */
export interface ProposedAction {
  /** `none`: it wrote neither a search nor an answer. */
  kind: 'search' | 'answer' | 'none';
  /** The query, or the answer. */
  text: string;
  ids: readonly number[];
  /** Makes it the policy's next words; the context must be the one that it was written behind. */
  adopt(): StepOutcome;
  /** Leaves it, with what came of it as text. */
  drop(outcome: string): void;
  /** Leaves it, its tokens counted as the policy's. */
  count(): void;
}

/** What the policy would answer, and the mean natural-log probability of it; null where it gives none. */
export interface WouldAnswer {
  text: string;
  meanLogprob: number | null;
}

/** A fork of the context that continues by itself until it is closed. */
export interface Branch {
  /** @param temperature in the place of the sampling's; 0: greedy */
  act(temperature?: number): Promise<ProposedAction>;
  /** Writes passages as a result. */
  read(hits: readonly Hit[]): void;
  /** The short answer it would give now, greedily. */
  wouldAnswer(): Promise<WouldAnswer>;
  /**
   * Mean ln p of a text as its answer.
   * @throws Error where the policy cannot say how likely a given text is
   */
  likelihood(answer: string): Promise<number>;
  fork(): Promise<Branch>;
  close(): void;
}

export interface Steps {
  readonly question: string;
  readonly settings: RecipeSettings;
  readonly method: Method;
  /** `ids`: the policy knows only the protocol, and cannot be asked in natural language. */
  readonly spelling: 'ids' | 'text';

  /** Whether another search may be made. */
  canSearch(): boolean;
  /** Instruction and question, as the first words of the record's context; a first search where the recipe has one. */
  open(): Promise<void>;
  write(until: 'thought' | 'action'): Promise<StepOutcome>;
  lookAhead(maxTokens: number): Promise<LookAhead>;

  /**
   * A search that the loop makes; its result is written into the context.
   * @param shown whether the query is written there, too
   * @returns the passages; none where the call failed
   */
  search(query: string, shown: boolean): Promise<Hit[]>;
  /** The same without a result in the context. */
  find(query: string): Promise<Hit[]>;
  /** What the last search brought. */
  found(): readonly Hit[];
  /** How many results were brought. */
  results(): number;
  /** What a search would bring: neither an event nor a result. */
  look(query: string): Promise<Hit[]>;
  /** Queries of all searches that were made. */
  queries(): readonly string[];
  /** What all searches brought. */
  foundAll(): readonly Hit[];
  /** Those of them that support the question's answer; for loops that only train. */
  supportingIn(hits: readonly Hit[]): readonly Hit[];
  isRight(answer: string): boolean;
  /** A gold answer; null without one. For loops that only train, and oracles. */
  gold(): string | null;
  /** The gold chain; empty without one. For loops that only train. */
  chain(): readonly ChainStep[];
  /** A number in [0, 1) of this rollout's own chance. */
  chance(): number;
  /** A number in [0, 1) that all rollouts of a group have in common. */
  groupChance(): number;

  branch(): Promise<Branch>;
  /** n candidates for the policy's next action. */
  propose(n: number): Promise<ProposedAction[]>;
  /** Notes candidates for a step, best first; the first is taken. */
  noteActions(ranked: readonly ProposedAction[]): void;
  wouldAnswer(): Promise<WouldAnswer>;
  /** Begins a thought with these words, as the policy's. */
  begin(words: string): void;
  /** Lets the policy write its plan block. @returns the plan; null where it wrote something else, which is done */
  planned(): Promise<{ plan: string | null; over: boolean }>;

  /** Lets the policy write a query whose tag the environment opened. @returns null where it wrote none */
  askQuery(): Promise<string | null>;
  /** Writes passages as a result. */
  show(hits: readonly Hit[]): void;
  hint(text: string): void;
  /** The environment writes a query and what answers it; nothing is searched for. */
  writeExchange(query: string, found: { title: string; text: string }): void;

  /** Asks a policy that reads words beside the context. */
  ask(aside: {
    of: AsideEvent['of'];
    instruction: string;
    user: string;
    maxTokens: number;
  }): Promise<Aside>;
  /** A short answer to a question from these passages only, beside the context. */
  read(question: string, hits: readonly Hit[]): Promise<Aside>;
  /** What a policy that knows only the protocol writes first after the question, beside the context. */
  first(of: AsideEvent['of'], way: 'think' | 'search', kind: BlockKind): Promise<string>;
  /** How the policy would continue after this passage, in a fork. */
  continuation(hit: Hit): Promise<Aside>;
  /** P(search) of search and answer, as the policy's next tag has it; null where it gives no probabilities. */
  searchShare(): Promise<number | null>;
  /** The passages as the policy reads them. */
  passages(hits: readonly Hit[]): string;
  judged(text: string, outcome: string): void;

  /** Opens the answer in the policy's place. */
  answer(): Promise<void>;
  /** Ends the rollout as it stands. */
  end(detail: string): void;
  /** The environment writes the answer that was voted for. */
  give(answer: string): void;
}
