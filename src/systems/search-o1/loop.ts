import type { LoopHooks, ShownResult } from '../../agent/hooks.ts';
import { writeHint } from '../../agent/searching.ts';
import { asideContext, checkCancelled, type RunState } from '../../agent/state.ts';
import { ask } from '../../agent/transcript/aside.ts';
import { passagesText } from '../../agent/transcript/blocks.ts';
import type { Hit } from '../../records/hits.ts';
import { HINTS } from '../../records/protocol.ts';
import { Extractive } from '../../retrieval/summarize/extractive.ts';
import type { Extraction, Params } from './system.ts';

/** One step of reasoning, as the extraction is shown it. */
export interface Step {
  text: string;
  /** It is a search or its result. */
  search: boolean;
}

const WHOLE = 5;
const LAST = 4;

/**
 * The reasoning before a search, as its code cuts it: all of up to five steps; of more the first, the last four
 * and all that search, three dots in place of the others.
 */
export function shownReasoning(steps: readonly Step[]): string {
  const numbered = steps.map(({ text }, i) => `Step ${i + 1}: ${text}`);
  if (steps.length <= WHOLE) return numbered.join('\n\n');
  const lines: string[] = [];
  numbered.forEach((line, i) => {
    const kept = i === 0 || i >= steps.length - LAST || steps[i]?.search === true;
    if (kept) lines.push(line);
    else if (lines.at(-1) !== '...') lines.push('...');
  });
  return lines.join('\n\n');
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

/** Sentences chosen for the query and the thought before it: what a policy has that cannot be asked in natural language. */
async function chosen(
  state: RunState,
  query: string,
  hits: readonly Hit[],
  reasoning: string,
  maxWords: number,
): Promise<ShownResult> {
  const { deps, request, transcript } = state;
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
 * The policy itself reads the passages beside its context, with its reasoning so far in view.
 * @param again earlier extracts that it is shown
 */
export async function extract(
  state: RunState,
  query: string,
  hits: readonly Hit[],
  extraction: Extraction,
  again: readonly string[] = [],
): Promise<ShownResult> {
  const { deps, settings, tags } = state;
  // The query itself is the last step.
  const before = stepsOf(state).slice(0, -1);
  const thought = before.findLast(({ search }) => !search)?.text ?? '';
  if (tags.spelling === 'ids')
    return chosen(
      state,
      query,
      hits,
      [extraction.reasoning ? thought : '', ...again].join(' '),
      extraction.maxTokens,
    );
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

/** run_search_o1.py: a query that a search has answered before gets a notice instead of passages, and is not counted. */
export const hooks = ({ extraction, repeats }: Params): LoopHooks => ({
  ...(extraction && {
    showResult: (state, query, hits) => extract(state, query, hits, extraction),
  }),
  async onQuery(state, query) {
    const repeated = state.searches.some((earlier) => earlier.query === query && !earlier.failed);
    if (repeats !== 'notice' || !repeated) return 'search';
    writeHint(state, HINTS.repeatedQuery);
    return 'skip';
  },
});
