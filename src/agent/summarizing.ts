import { messageOf } from '../base/errors.ts';
import { shownReasoning, type Step } from '../recipes/methods/extraction.ts';
import type { AgentEvent } from '../records/events.ts';
import type { Hit } from '../records/hits.ts';
import { Extractive } from '../retrieval/summarize/extractive.ts';
import type { Passage } from '../records/records.ts';
import type { Summary } from '../retrieval/summarize/summarizer.ts';
import type { ShownResult } from './hooks.ts';
import { asideContext, checkCancelled, type RunState } from './state.ts';
import { ask } from './transcript/aside.ts';
import { passagesText } from './transcript/blocks.ts';

/**
 * Summarized retrieval (UR², section 3.1.1): what the policy reads in place of the passages. A query
 * that asks for reasoning gets the fallback sentence as its result and a hint after it. Both are
 * written by the environment, so neither is trained (the released code trains the hint).
 */

/** Follows the fallback sentence (UR², appendix C.4, in our words). */
export const FALLBACK_HINT =
  'no search answers this . ask for one fact in simple words or reason on with what is known .';

const UNSUMMARIZED = 'no summary, so the passages are shown: ';

/** Results of a rollout whose passages are shown because nobody could summarize them: why, one each. */
export const unsummarized = (events: readonly AgentEvent[]): string[] =>
  events.flatMap((event) =>
    event.kind === 'error' && event.message.startsWith(UNSUMMARIZED)
      ? [event.message.slice(UNSUMMARIZED.length)]
      : [],
  );

function written(
  { deps, request }: RunState,
  query: string,
  passages: readonly Passage[],
): Promise<Summary> {
  if (!deps.summarizer) throw new Error('there is no summarizer');
  const { question: gold, signal } = request;
  return deps.summarizer.summarize({ query, passages, gold, signal });
}

/**
 * Summarizes for the query where the recipe says so.
 * @returns null where the passages themselves are shown: it is off, or it failed
 */
export async function summarizeHits(
  state: RunState,
  query: string,
  hits: readonly Hit[],
): Promise<Summary | null> {
  const { settings, transcript } = state;
  if (settings.retrieval.summarize === 'off') return null;
  const recorded = state.past?.next('summarize');
  try {
    const failed = state.past?.next('error');
    if (failed) throw new Error(failed.message);
    const passages = hits.map(({ passage }) => passage);
    const summary = recorded ?? (await written(state, query, passages));
    checkCancelled(state);
    const { by, text, fallback, reason, latencyMs, cached } = summary;
    transcript.event({
      kind: 'summarize',
      query,
      by,
      passages: passages.map(({ id }) => id),
      text,
      fallback,
      reason,
      latencyMs,
      cached,
      // The result segment is written next.
      segment: transcript.lastSegment + 1,
    });
    return summary;
  } catch (error) {
    checkCancelled(state);
    const message = `${UNSUMMARIZED}${messageOf(error)}`;
    transcript.event({ kind: 'error', what: 'retrieval', message });
    return null;
  }
}

const EXTRACT =
  'You read what a search found for someone who reasons step by step. Given the reasoning so far, the query and the passages, write only what of the passages answers the query and helps the reasoning go on, in one or two sentences. Where nothing does, write "No helpful information found."';

/** Reasoning and searches so far, in order. */
const stepsOf = ({ transcript }: RunState): Step[] =>
  transcript.rollout.events.flatMap((event): Step[] => {
    if (event.kind === 'think') return [{ text: event.text, search: false }];
    if (event.kind === 'search') return [{ text: `search: ${event.query}`, search: true }];
    return event.kind === 'aside' && event.of === 'extract'
      ? [{ text: `found: ${event.text}`, search: true }]
      : [];
  });

/** What was extracted so far, in order. */
export const extractsOf = ({ transcript }: RunState): string[] =>
  transcript.rollout.events.flatMap((event) =>
    event.kind === 'summarize' || (event.kind === 'aside' && event.of === 'extract')
      ? [event.text]
      : [],
  );

/** Sentences chosen for the query and the thought before it: what a policy has that cannot be asked in natural language. */
async function chosen(
  state: RunState,
  query: string,
  hits: readonly Hit[],
  reasoning: string,
): Promise<ShownResult> {
  const { deps, request, transcript } = state;
  const maxWords = state.settings.method?.extraction?.maxTokens ?? 24;
  const method = new Extractive(null, { maxWords, maxSentences: 2 });
  const passages = hits.map(({ passage }) => passage);
  const start = deps.now();
  const draft = await method.draft({
    query: `${query} ${reasoning.trim()}`.trim(),
    passages,
    signal: request.signal,
  });
  transcript.event({
    kind: 'summarize',
    query,
    by: method.id,
    passages: passages.map(({ id }) => id),
    text: draft.text,
    fallback: false,
    reason: draft.reason,
    latencyMs: deps.now() - start,
    cached: false,
    segment: transcript.lastSegment + 1,
  });
  return { text: draft.text, fallback: false };
}

/**
 * Knowledge extraction where the recipe has it (Search-o1's reason-in-documents): the policy itself reads the
 * passages beside its context, with its reasoning so far in view.
 * @param again earlier extracts that it is shown
 * @returns null where it is off
 */
export async function extract(
  state: RunState,
  query: string,
  hits: readonly Hit[],
  again: readonly string[] = [],
): Promise<ShownResult | null> {
  const { deps, settings, tags } = state;
  const { extraction } = settings.method ?? {};
  if (!extraction) return null;
  // The query itself is the last step.
  const before = stepsOf(state).slice(0, -1);
  const thought = before.findLast(({ search }) => !search)?.text ?? '';
  if (tags.spelling === 'ids')
    return chosen(state, query, hits, [extraction.reasoning ? thought : '', ...again].join(' '));
  const { tokenizer } = deps.policy;
  const { passageTokens } = settings.retrieval;
  const reasoning = extraction.reasoning ? shownReasoning(before) : '';
  const { text } = await ask(asideContext(state), {
    of: 'extract',
    instruction: EXTRACT,
    user: [
      ...(reasoning === '' ? [] : [`Reasoning so far:\n${reasoning}\n`]),
      ...(again.length === 0 ? [] : [`Found so far:\n${again.join('\n')}\n`]),
      `Query: ${query}\n`,
      `Passages:\n${passagesText(tokenizer, hits, passageTokens)}`,
    ].join('\n'),
    maxTokens: extraction.maxTokens,
  });
  checkCancelled(state);
  return { text: text || 'No helpful information found.', fallback: false };
}
