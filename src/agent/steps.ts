import type { ChainStep } from '../records/records.ts';
import type { AsideEvent } from '../records/events.ts';
import type { RecipeSettings } from '../recipes/parts/settings.ts';
import type { Aside } from './transcript/aside.ts';
import type { BlockKind } from '../recipes/parts/dialect.ts';
import { deriveSeed, uniform } from '../base/random.ts';
import type { Hit } from '../records/hits.ts';
import { inBlock } from '../records/protocol.ts';
import type { Generated } from '../policy/policy.ts';
import { answerByVote, forceAnswer } from './answering.ts';
import { questionScores } from './answers/checked.ts';
import { branchOf, look, noteActions, noteAside, textOf, stepOutcome } from './branches.ts';
import { contextRoom } from './budget.ts';
import { adoptStep, openWithSearch, policyStep } from './loop.ts';
import { callSearch, openThought, searchRound, writeHint } from './searching.ts';
import { asideContext, checkCancelled, stop, type RunState } from './state.ts';
import { ask, firstBlock, readPassages } from './transcript/aside.ts';
import { blockIds, passagesText, readQueryIn } from './transcript/blocks.ts';
import { isAnswer, isSearch, speaksInTurns } from './transcript/tags.ts';
import { sayInTurns } from './turns.ts';

/**
 * What the programs of systems are written in: the steps that a policy and its environment may take. Each
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

/** P(retrieve) of the two that may be said; 0 where neither has any. */
export const retrieveShare = (retrieve: number, not: number): number =>
  retrieve + not === 0 ? 0 : retrieve / (retrieve + not);

/** Room for a result that says something. */
const LEAST_RESULT = 24;

/** A seed for the next fork: another one for each event so far. */
const forkSeed = ({ request, transcript }: RunState): number =>
  deriveSeed(request.seed, 'fork', transcript.rollout.events.length);

async function write(state: RunState, until: 'thought' | 'action'): Promise<StepOutcome> {
  const before = state.transcript.rollout.events.length;
  const stops = until === 'thought' ? state.tags.thoughtStops : state.tags.stops;
  return stepOutcome(state, before, await policyStep(state, stops));
}

/** What a fork of the context samples behind `given`. */
async function forked(
  state: RunState,
  given: readonly number[],
  maxTokens: number,
  greedy = false,
): Promise<Generated> {
  const { conversation, request, settings, tags } = state;
  conversation.openTurn();
  const fork = await conversation.session.fork(forkSeed(state));
  try {
    if (given.length > 0) fork.append(given);
    const { stopIds, stopTexts } = tags.thoughtStops;
    const generated = await fork.generate({
      maxTokens: Math.max(1, Math.min(maxTokens, contextRoom(state) - given.length)),
      stopIds,
      ...(stopTexts.length > 0 ? { stopTexts } : {}),
      sampling: greedy ? { temperature: 0, topK: 0, topP: 1 } : settings.sampling,
      signal: request.signal,
    });
    checkCancelled(state);
    return generated;
  } finally {
    fork.close();
  }
}

async function lookAhead(state: RunState, maxTokens: number): Promise<LookAhead> {
  const { deps, tags } = state;
  const { tokenizer } = deps.policy;
  const generated = await forked(state, [], maxTokens);
  const { ids, logprobs } = generated;
  const known = logprobs.length === ids.length && ids.length > 0;
  const text = textOf(state, ids);
  return {
    text,
    pieces: known
      ? ids.flatMap((id, i) =>
          tags.meaning(id)
            ? []
            : [{ text: tokenizer.decode([id]), probability: Math.exp(logprobs[i] ?? 0) }],
        )
      : null,
    adopt: () => {
      const before = state.transcript.rollout.events.length;
      return stepOutcome(state, before, adoptStep(state, generated));
    },
    drop: (outcome) => noteAside(state, 'look-ahead', { ids, text }, outcome),
  };
}

/** The plan block, or what the policy writes in its place. */
async function writePlan(state: RunState): Promise<{ plan: string | null; over: boolean }> {
  const { deps, tags, transcript } = state;
  const close = deps.policy.tokenizer.specialId('</plan>');
  const before = transcript.rollout.events.length;
  const { stopIds, stopTexts } = tags.thoughtStops;
  const end = await policyStep(state, {
    stopIds: close === undefined ? stopIds : [...stopIds, close],
    stopTexts,
  });
  const step = stepOutcome(state, before, end);
  const over = step.ended === 'action' && (await step.act());
  const plan = state.transcript.rollout.events
    .slice(before)
    .find((event) => event.kind === 'block' && event.block === 'plan');
  return { plan: plan?.kind === 'block' ? plan.text : null, over };
}

/** The query as the loop made it; the question itself is not a query of anyone's. */
function noteQuery(state: RunState, query: string): void {
  if (query === state.request.question.text) return;
  state.transcript.event({
    kind: 'search',
    query,
    round: state.searches.length + 1,
    tag: 'search',
    by: 'loop',
  });
}

function writeQuery(state: RunState, query: string): void {
  const { conversation, deps, tags } = state;
  // A format without searches of its own shows none.
  if (speaksInTurns(tags) || tags.ids('<search>').length === 0) return;
  conversation.write(
    'environment',
    'search',
    blockIds(deps.policy.tokenizer, tags, 'search', inBlock(query), contextRoom(state)),
  );
}

async function search(state: RunState, query: string, shown: boolean): Promise<Hit[]> {
  noteQuery(state, query);
  if (shown) writeQuery(state, query);
  const got = await searchRound(state, query, 'search');
  return got?.retrieval.hits ?? [];
}

async function find(state: RunState, query: string): Promise<Hit[]> {
  noteQuery(state, query);
  const { got } = await callSearch(state, query, 'search', null, false);
  return got?.retrieval.hits ?? [];
}

function foundLast({ transcript }: RunState): readonly Hit[] {
  const last = transcript.rollout.events.findLast((event) => event.kind === 'retrieve');
  return last?.kind === 'retrieve' ? last.hits : [];
}

async function askQuery(state: RunState): Promise<string | null> {
  const { conversation, tags } = state;
  conversation.write('environment', 'search', tags.ids('<search>'));
  conversation.parser.force('search', []);
  const end = await policyStep(state);
  return end.type === 'search' ? readQueryIn(state.tags, end.inner) || null : null;
}

const resultIds = (state: RunState, hits: readonly Hit[]): number[] => {
  const { deps, settings, tags } = state;
  const { tokenizer } = deps.policy;
  const text = passagesText(tokenizer, hits, settings.retrieval.passageTokens, tags);
  return blockIds(tokenizer, tags, 'result', text, Math.max(2, contextRoom(state)));
};

/**
 * P(search) of search and answer: the likeliest next tag has its probability, and the other is taken to have the
 * rest.
 */
async function searchShare(state: RunState): Promise<number | null> {
  const { ids, logprobs } = await forked(state, [], 1, true);
  const [id, logprob] = [ids[0], logprobs[0]];
  if (id === undefined || logprob === undefined) return null;
  const meaning = state.tags.meaning(id);
  if (meaning?.type !== 'open') return 0;
  const p = Math.exp(logprob);
  if (isSearch(meaning.kind)) return retrieveShare(p, 1 - p);
  return isAnswer(meaning.kind) ? retrieveShare(1 - p, p) : 0;
}

const CONTINUATION_TOKENS = 48;

async function continuation(state: RunState, hit: Hit): ReturnType<Steps['continuation']> {
  const generated = await forked(state, resultIds(state, [hit]), CONTINUATION_TOKENS);
  const { ids, logprobs } = generated;
  const text = textOf(state, ids);
  noteAside(state, 'continuation', { ids, text }, `behind ${hit.passage.title}`);
  const known = ids.length > 0 && logprobs.length === ids.length;
  const total = logprobs.reduce((sum, logprob) => sum + logprob, 0);
  return { text, meanLogprob: known ? total / ids.length : null };
}

/** The steps as they are taken in this rollout. */
export function stepsOf(state: RunState): Steps {
  const { deps, request, settings, tags } = state;
  const { tokenizer } = deps.policy;
  const { maxSearches, passageTokens } = settings.retrieval;
  const aside = asideContext(state);
  let branches = 0;
  let chances = 0;
  const nextSeed = (): number => deriveSeed(request.seed, 'branch', branches++);
  const branch = async (): Promise<Branch> => {
    state.conversation.openTurn();
    const { session, parser } = state.conversation;
    return branchOf(state, await session.fork(nextSeed()), parser.open, nextSeed);
  };
  const supporting = new Set(request.question.supporting);
  const checked = async <T>(work: Promise<T>): Promise<T> => {
    const done = await work;
    checkCancelled(state);
    return done;
  };
  return {
    question: request.question.text,
    settings,
    spelling: tags.spelling,
    canSearch: () => state.searches.length < maxSearches && contextRoom(state) >= LEAST_RESULT,
    open: () => openWithSearch(state),
    write: (until) => write(state, until),
    lookAhead: (maxTokens) => lookAhead(state, maxTokens),
    search: (query, shown) => search(state, query, shown),
    find: (query) => find(state, query),
    found: () => foundLast(state),
    results: () => state.transcript.rollout.events.filter(({ kind }) => kind === 'retrieve').length,
    look: (query) => checked(look(state, query)),
    queries: () => state.searches.map(({ query }) => query),
    foundAll: () =>
      state.transcript.rollout.events.flatMap((event) =>
        event.kind === 'retrieve' ? event.hits : [],
      ),
    supportingIn: (hits) =>
      hits.filter(({ passage }) => !passage.noise && supporting.has(passage.title)),
    isRight: (answer) => questionScores(answer, request.question).em === 1,
    gold: () => request.question.answers[0] ?? null,
    chain: () => request.question.chain ?? [],
    groupChance: () => uniform(deriveSeed(0, 'group', request.groupId)),
    chance: () => uniform(deriveSeed(request.seed, 'chance', chances++)),
    branch,
    propose: async (n) => {
      const open: Branch[] = [];
      try {
        for (let i = 0; i < n; i++) open.push(await branch());
        return await Promise.all(open.map((one) => one.act()));
      } finally {
        for (const one of open) one.close();
      }
    },
    noteActions: (ranked) => noteActions(state, ranked),
    wouldAnswer: async () => {
      const one = await branch();
      try {
        return await one.wouldAnswer();
      } finally {
        one.close();
      }
    },
    begin: (words) => openThought(state, words),
    planned: () => writePlan(state),
    askQuery: () => askQuery(state),
    show: (hits) => {
      if (speaksInTurns(tags)) {
        const text = passagesText(tokenizer, hits, passageTokens, tags);
        sayInTurns(state, 'result', `Passages:\n${text.trim()}`);
        return;
      }
      state.conversation.answerBack('result', resultIds(state, hits));
    },
    hint: (text) => writeHint(state, text),
    writeExchange: (query, { title, text }) => {
      writeQuery(state, query);
      const passage = { id: title, title, text, sentences: [text] };
      state.conversation.answerBack(
        'result',
        resultIds(state, [{ passage, score: 1, source: 'local' }]),
      );
    },
    ask: (wanted) => checked(ask(aside, wanted)),
    read: (question, hits) => checked(readPassages(aside, question, hits)),
    first: (of, way, kind) =>
      checked(firstBlock(aside, { of, way, kind, maxTokens: settings.budgets.stepTokens })),
    continuation: (hit) => continuation(state, hit),
    searchShare: () => searchShare(state),
    passages: (hits) => passagesText(tokenizer, hits, passageTokens),
    judged: (text, outcome) => noteAside(state, 'judgement', { ids: [], text }, outcome),
    answer: () => forceAnswer(state, { reason: 'answer', detail: 'the policy answered' }, false),
    end: (detail) => stop(state, 'end-of-text', detail),
    give: (answer) => answerByVote(state, answer),
  };
}
