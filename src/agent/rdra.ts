import type { Hit } from '../data/hits.ts';
import { relevance } from '../retrieval/relevance.ts';
import { blockIds, passagesText } from './blocks.ts';
import { contextRoom } from './budget.ts';
import { ProtocolParser } from './parse.ts';
import { inBlock } from './protocol.ts';
import { callRetriever } from './retrieving.ts';
import { supportingRecall } from './scores.ts';
import { deriveSeed } from './seeds.ts';
import { checkCancelled, fault, type RunState } from './state.ts';

/**
 * RDRA, equations (1)–(4) of arXiv 2506.19466: background D0 by the question, thought t = T(x, D0),
 * then retrieval by t. With `shown`, T does not see D0: t is sampled in a context of its own that
 * holds the question alone and is then inserted behind background and question. Those tokens were
 * not sampled under the context that they stand in, so they carry no log-probabilities there and
 * are masked from the loss.
 */

/** Equation (1), with D0's relevance logged. @returns no hits where the background is off or fails */
async function retrieveBackground(state: RunState): Promise<Hit[]> {
  const { background } = state.settings;
  const { text, supporting } = state.request.question;
  const retrieval = await callRetriever(state, background.source, text, background.k);
  if (!retrieval) return [];
  const passages = retrieval.hits.map((hit) => hit.passage);
  state.transcript.event({
    kind: 'background',
    mode: background.mode,
    query: text,
    hits: retrieval.hits,
    relevance: {
      ...relevance(text, retrieval.hits),
      supportingRecall:
        supporting.length === 0
          ? null
          : supportingRecall(
              passages.map((passage) => passage.title),
              supporting,
            ),
    },
    latencyMs: retrieval.latencyMs,
    // The background segment is written next, unless there is nothing to show.
    ...(retrieval.hits.length > 0 ? { segment: 0 } : {}),
  });
  state.evidence.observe(retrieval.hits);
  return retrieval.hits;
}

/** `<question> x </question>`; a question too long for the context is cut, its closing tag is not. */
const questionIds = (state: RunState): number[] => {
  const room = Math.max(2, contextRoom(state));
  return blockIds(
    state.deps.policy.tokenizer,
    state.tags,
    'question',
    inBlock(state.request.question.text),
    room,
  );
};

/**
 * Equation (2) without D0: samples one thought after the question alone.
 * @returns the block's ids with its tags, or null where T wrote no whole thought
 */
async function thinkWithoutBackground(
  state: RunState,
  question: readonly number[],
): Promise<number[] | null> {
  const { deps, request, settings, tags } = state;
  const { tokenizer } = deps.policy;
  const session = await deps.policy.open(deriveSeed(request.seed, 'thought'));
  try {
    session.append(question);
    const generated = await session.generate({
      maxTokens: Math.max(
        1,
        Math.min(settings.budgets.stepTokens, contextRoom(state) - question.length),
      ),
      stopIds: tags.thoughtStopIds,
      sampling: settings.sampling,
      ...(request.signal ? { signal: request.signal } : {}),
    });
    checkCancelled(state);
    state.thoughtTokens += generated.ids.length;
    const parser = new ProtocolParser(tags, (ids) => tokenizer.decode(ids));
    const parsed = generated.ids.flatMap((id) => parser.feed(id).parsed);
    const whole =
      tags.meaning(generated.ids[0] ?? -1)?.type === 'open' &&
      parsed.every((step) => step.type !== 'fault') &&
      parsed.at(-1)?.type === 'closed';
    return whole ? generated.ids : null;
  } finally {
    session.close();
  }
}

/** Opens the context: background (if any) and question, and in mode `shown` T's thought. */
export async function openContext(state: RunState): Promise<void> {
  const { conversation, deps, settings, tags, transcript } = state;
  const { mode } = settings.background;
  const { tokenizer } = deps.policy;
  const hits = mode === 'off' ? [] : await retrieveBackground(state);
  const question = questionIds(state);
  const thought = mode === 'shown' ? await thinkWithoutBackground(state, question) : null;
  if (hits.length > 0) {
    const text = passagesText(tokenizer, hits, settings.retrieval.passageTokens);
    const room = contextRoom(state) - question.length - (thought?.length ?? 0);
    const ids = blockIds(tokenizer, tags, 'background', text, Math.floor(room / 2));
    if (room / 2 >= 3) conversation.write('environment', 'background', ids);
  }
  conversation.write('prompt', 'question', question);
  if (mode !== 'shown') return;
  if (!thought) {
    fault(state, 'T wrote no whole thought; the policy thinks with the background in view');
    return;
  }
  const segment = transcript.lastSegment + 1;
  conversation.session.append(thought);
  transcript.add('policy', 'think', thought);
  conversation.parser.closedByEnvironment('think');
  const text = tokenizer.decode(thought.slice(1, -1)).trim();
  state.thought = text;
  transcript.event({ kind: 'think', text, phase: 'alignment', segment });
}
