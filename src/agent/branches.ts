import type { Generated, PolicyTokenizer, PolicySession } from '../policy/policy.ts';
import {
  readAnswerIn,
  readQueryIn,
  answerOpening,
  blockIds,
  passagesText,
} from './transcript/blocks.ts';
import type { BlockKind } from '../recipes/parts/dialect.ts';
import { ProtocolParser } from './transcript/parse.ts';
import { createScanner } from './transcript/scanner.ts';
import { isAnswer, isSearch, type Tags } from './transcript/tags.ts';
import { mean } from '../base/statistics.ts';
import type { AsideEvent } from '../records/events.ts';
import type { Hit } from '../records/hits.ts';
import { contextRoom, stepRoom, type Room } from './budget.ts';
import { act, adoptStep, type StepEnd } from './loop.ts';
import { checkCancelled, stop, type RunState } from './state.ts';
import type { Branch, ProposedAction, WouldAnswer, StepOutcome } from './steps.ts';
import { resolveCall, toolsOf } from './transcript/tool-list.ts';

/** What a policy did in tokens that it wrote in a fork. */
interface Action {
  /** `none`: neither a search nor an answer that can be read. */
  kind: 'search' | 'answer' | 'none';
  /** The query, or the answer. */
  text: string;
}

/** @param open block that was open where it began */
function readAction(
  tokenizer: PolicyTokenizer,
  tags: Tags,
  { ids }: Pick<Generated, 'ids'>,
  open: BlockKind | null,
): Action {
  const decode = (some: readonly number[]): string => tokenizer.decode(some);
  const parser = new ProtocolParser(tags, decode);
  if (open) parser.force(open, []);
  const scanner = createScanner(tags, decode);
  const units = [...ids.flatMap((id) => scanner.push({ id })), ...scanner.flush()];
  for (const step of units.flatMap((unit) => parser.take(unit).parsed)) {
    if (step.type !== 'closed' || !step.usable) continue;
    if (isSearch(step.kind)) {
      const query = readQueryIn(tags, step.inner);
      if (query !== '') return { kind: 'search', text: query };
    }
    if (!isAnswer(step.kind)) continue;
    const { answer } = readAnswerIn(tags, step.inner);
    if (answer !== null) return { kind: 'answer', text: answer };
  }
  return { kind: 'none', text: '' };
}

/** Forks of a running rollout: what the policy would write, and what of it becomes its own. */

/** What tokens say without their tags. */
export const textOf = ({ deps, tags }: RunState, ids: readonly number[]): string =>
  deps.policy.tokenizer.decode(ids.filter((id) => !tags.meaning(id))).trim();

/** Notes what a fork wrote. */
export function noteAside(
  { transcript }: RunState,
  of: AsideEvent['of'],
  { ids, text }: { ids: readonly number[]; text: string },
  outcome?: string,
): void {
  const noted = { of, prompt: '', text, tokens: ids.length };
  transcript.event({ kind: 'aside', ...noted, ...(outcome === undefined ? {} : { outcome }) });
}

/** The last thought that was noted since there were `before` events. */
const thoughtSince = ({ transcript }: RunState, before: number): string | null => {
  const since = transcript.rollout.events.slice(before);
  const last = since.findLast((event) => event.kind === 'think');
  return last?.kind === 'think' ? last.text : null;
};

/** The first query of a step; null where it has none. */
function queryOf({ settings, tags }: RunState, end: StepEnd): string | null {
  if (end.type === 'search') return readQueryIn(tags, end.inner);
  if (end.type !== 'calls') return null;
  for (const { read } of end.calls) {
    const resolved = resolveCall(read, toolsOf(settings));
    if ('tool' in resolved && isSearch(resolved.tool.name)) return resolved.text;
  }
  return null;
}

/** Result of one policy step. */
export function stepOutcome(state: RunState, before: number, end: StepEnd): StepOutcome {
  const faulty = state.faults >= state.settings.budgets.maxFaults;
  return {
    thought: thoughtSince(state, before),
    query: queryOf(state, end),
    ended: end.type === 'again' && !faulty ? 'thought' : 'action',
    act: async () => {
      const over = end.type !== 'again' && (await act(state, end));
      if (over || state.faults < state.settings.budgets.maxFaults) return over;
      stop(state, 'malformed', `${state.faults} faults against the protocol`);
      return true;
    },
  };
}

/**
 * What the policy wrote in a fork, as a step that may become the rollout's own. One that a limit cut off ends as the
 * limit does: a loop that waits for an action would wait for ever.
 */
function proposedAction(
  state: RunState,
  generated: Generated,
  open: BlockKind | null,
  { tokens, limit, detail }: Room,
): ProposedAction {
  const { ids } = generated;
  const action = readAction(state.deps.policy.tokenizer, state.tags, generated, open);
  const written = { ids, text: textOf(state, ids) };
  return {
    ...action,
    ids,
    adopt: () => {
      const before = state.transcript.rollout.events.length;
      const end = adoptStep(state, generated);
      const goesOn = generated.finish === 'stop' && tokens > 0;
      if (end.type !== 'again' || goesOn) return stepOutcome(state, before, end);
      const reason = generated.finish === 'context' ? 'context-full' : limit;
      return stepOutcome(state, before, { type: 'limit', reason, detail });
    },
    drop: (outcome) => noteAside(state, 'action', written, outcome),
    count: () => noteAside(state, 'action', written),
  };
}

/** The short answer that a fork would give now. The fork is used up by it. */
async function answerIn(state: RunState, session: PolicySession): Promise<WouldAnswer> {
  const { deps, request, settings, tags } = state;
  const { tokenizer } = deps.policy;
  const { tag, box } = answerOpening(tokenizer, tags);
  session.append([...tag, ...box]);
  const { ids, logprobs } = await session.generate({
    maxTokens: settings.budgets.answerTokens,
    stopIds: tags.stops.stopIds,
    ...(tags.stops.stopTexts.length > 0 ? { stopTexts: tags.stops.stopTexts } : {}),
    sampling: { temperature: 0, topK: 0, topP: 1 },
    signal: request.signal,
  });
  checkCancelled(state);
  const inner = tokenizer.decode([...box, ...ids.filter((id) => !tags.meaning(id))]);
  const text = readAnswerIn(tags, inner).answer ?? '';
  noteAside(state, 'judgement', { ids, text }, 'what it would answer here');
  const known = ids.length > 0 && logprobs.length === ids.length;
  return { text, meanLogprob: known ? mean(logprobs) : null };
}

/** Mean ln p of an answer in a fork, its closing tag left out. The fork is used up by it. */
async function likelihoodIn(
  state: RunState,
  session: PolicySession,
  answer: string,
): Promise<number> {
  const { tags, request } = state;
  const { tokenizer } = state.deps.policy;
  const { tag, box } = answerOpening(tokenizer, tags);
  session.append([...tag, ...box]);
  const forced = tokenizer.encodeText(tags.plain(` ${answer}`));
  const { ids, logprobs } = await session.generate({
    maxTokens: forced.length,
    forced,
    stopIds: [],
    sampling: { temperature: 1, topK: 0, topP: 1 },
    signal: request.signal,
  });
  checkCancelled(state);
  if (logprobs.length === 0 || ids.some((id, i) => id !== forced[i]))
    throw new Error(
      'This model cannot score a given text, which system.scorer needs. Set it to confidence or vote.',
    );
  noteAside(
    state,
    'judgement',
    { ids: [], text: answer },
    `ln p ${mean(logprobs).toFixed(3)} a token`,
  );
  return mean(logprobs);
}

/** A fork that continues by itself. @param open block that is open where it begins; @param seed of its next fork */
export function branchOf(
  state: RunState,
  session: PolicySession,
  open: BlockKind | null,
  seed: () => number,
): Branch {
  const { deps, request, settings, tags } = state;
  let now = open;
  const room = (): number =>
    contextRoom(state) - (session.length - state.conversation.session.length);
  return {
    act: async (temperature) => {
      const limit = stepRoom(state);
      const generated = await session.generate({
        maxTokens: Math.max(1, Math.min(limit.tokens, room())),
        stopIds: tags.stops.stopIds,
        ...(tags.stops.stopTexts.length > 0 ? { stopTexts: tags.stops.stopTexts } : {}),
        sampling:
          temperature === undefined ? settings.sampling : { ...settings.sampling, temperature },
        signal: request.signal,
      });
      checkCancelled(state);
      const step = proposedAction(state, generated, now, limit);
      now = null;
      return step;
    },
    read: (hits) => {
      const { passageTokens } = settings.retrieval;
      const text = passagesText(deps.policy.tokenizer, hits, passageTokens, tags);
      const limit = Math.max(2, room());
      session.append(blockIds(deps.policy.tokenizer, tags, 'result', text, limit));
    },
    wouldAnswer: async () => {
      const fork = await session.fork(seed());
      try {
        return await answerIn(state, fork);
      } finally {
        fork.close();
      }
    },
    likelihood: async (answer) => {
      const fork = await session.fork(seed());
      try {
        return await likelihoodIn(state, fork, answer);
      } finally {
        fork.close();
      }
    },
    fork: async () => branchOf(state, await session.fork(seed()), now, seed),
    close: () => session.close(),
  };
}

/** What a search would bring; nothing where it fails. */
export async function look({ deps, request, settings }: RunState, query: string): Promise<Hit[]> {
  const { k, source } = settings.retrieval;
  try {
    const asked = source === 'router' ? 'both' : source;
    return (await deps.retriever.search(asked, query, k, request.signal)).hits;
  } catch (error) {
    request.signal?.throwIfAborted();
    if (error instanceof Error) return [];
    throw error;
  }
}

/** Candidates for a step, the one that is taken first. */
export function noteActions(state: RunState, ranked: readonly ProposedAction[]): void {
  if (ranked.length < 2) return;
  const at = state.conversation.session.length;
  ranked.forEach(({ ids, kind, text }, rank) =>
    state.transcript.event({
      kind: 'aside',
      of: 'action',
      prompt: '',
      text: kind === 'none' ? textOf(state, ids) : text,
      // The first is the rollout's own: its tokens are counted there.
      tokens: rank === 0 ? 0 : ids.length,
      outcome: rank === 0 ? `${kind}: taken of ${ranked.length}` : kind,
      action: { at, rank, ids: [...ids] },
    }),
  );
}
