import type { Hit } from '../records/hits.ts';
import { relevance } from '../retrieval/lexical/relevance.ts';
import { blockIds, passagesText } from './transcript/blocks.ts';
import { contextRoom } from './budget.ts';
import { ProtocolParser, type Parsed } from './transcript/parse.ts';
import { knowsForms } from './transcript/form.ts';
import { traitsOf } from '../recipes/parts/system.ts';
import { promptFrame, type Frame } from './transcript/prompt.ts';
import { HINTS, inBlock } from '../records/protocol.ts';
import { callRetriever, rewardRoute, routeBackground } from './retrieving.ts';
import { createScanner } from './transcript/scanner.ts';
import { speaksInTurns } from './transcript/tags.ts';
import { soundTitles, supportingRecall } from './answers/scores.ts';
import { deriveSeed } from '../base/random.ts';
import { checkCancelled, fault, type RunState } from './state.ts';

/**
 * RDRA, equations (1)–(4) of arXiv 2506.19466: background D0 by the question, thought t = T(x, D0),
 * then retrieval by t. With `shown`, T does not see D0: t is sampled in a context of its own that
 * holds only the question and is then inserted behind background and question. Those tokens were
 * not sampled under the context that they are in, so they carry no log-probabilities there and
 * are masked from the loss.
 */

/** T's block. */
interface Thought {
  /** With its tags. */
  ids: readonly number[];
  /** Between them. */
  text: string;
}

/** Equation (1), with D0's relevance logged. @returns no hits where the background is off or fails */
async function retrieveBackground(state: RunState, frame: Frame): Promise<Hit[]> {
  const { background } = state.settings;
  const { text, supporting } = state.request.question;
  const { choice, event } = routeBackground(state, text);
  const retrieval = await callRetriever(state, choice, text, background.k);
  if (!retrieval) return [];
  const passages = retrieval.hits.map((hit) => hit.passage);
  state.transcript.event({
    kind: 'background',
    mode: background.mode,
    query: text,
    hits: retrieval.hits,
    relevance: {
      ...relevance(text, retrieval.hits),
      supportingRecall: supportingRecall(soundTitles(passages), supporting),
    },
    latencyMs: retrieval.latencyMs,
    // The background segment follows the instruction, unless there is nothing to show.
    ...(retrieval.hits.length > 0 ? { segment: frame.before.length > 0 ? 1 : 0 } : {}),
  });
  const { newSupporting } = state.evidence.observe(retrieval.hits);
  if (event !== null)
    rewardRoute(state, event, { choice, latencyMs: retrieval.latencyMs, newSupporting });
  return retrieval.hits;
}

/** `<question> x </question>`; a question too long for the context is cut, its closing tag is not. */
const questionIds = (state: RunState, frame: Frame): number[] => {
  const room = Math.max(2, contextRoom(state) - frame.before.length - frame.after.length);
  return blockIds(
    state.deps.policy.tokenizer,
    state.tags,
    'question',
    inBlock(state.request.question.text),
    room,
  );
};

/**
 * Equation (2) without D0: samples one thought after only the question.
 * @returns null where T wrote no whole thought
 */
async function thinkWithoutBackground(
  state: RunState,
  prompt: readonly number[],
  frame: Frame,
): Promise<Thought | null> {
  const { deps, request, settings, tags } = state;
  const recorded = state.past?.thought();
  if (recorded) {
    state.thoughtTokens += recorded.ids.length;
    return recorded;
  }
  const session = await deps.policy.open(deriveSeed(request.seed, 'thought'));
  try {
    session.append(prompt);
    const generated = await session.generate({
      maxTokens: Math.max(
        1,
        Math.min(settings.budgets.stepTokens, contextRoom(state) - prompt.length),
      ),
      stopIds: tags.thoughtStops.stopIds,
      ...(tags.spelling === 'text' ? { stopTexts: tags.thoughtStops.stopTexts } : {}),
      sampling: settings.sampling,
      signal: request.signal,
    });
    checkCancelled(state);
    state.thoughtTokens += generated.ids.length;
    const parsed = readThought(state, generated.ids, frame);
    const last = parsed.at(-1);
    const whole =
      (frame.opensThought || begins(state, generated.ids, parsed)) &&
      parsed.every((step) => step.type !== 'fault') &&
      last?.type === 'closed';
    return whole ? { ids: generated.ids, text: last.inner.trim() } : null;
  } finally {
    session.close();
  }
}

/** What T wrote up to the end of its first block; in the last token more may follow. */
function readThought({ deps, tags }: RunState, ids: readonly number[], frame: Frame): Parsed[] {
  const decode = (some: readonly number[]): string => deps.policy.tokenizer.decode(some);
  const parser = new ProtocolParser(tags, decode);
  if (frame.opensThought) parser.force('think', []);
  const scanner = createScanner(tags, decode);
  const units = ids.flatMap((id) => scanner.push({ id }));
  const parsed = [...units, ...scanner.flush()].flatMap((unit) => parser.take(unit).parsed);
  const closed = parsed.findIndex((step) => step.type === 'closed');
  return closed < 0 ? parsed : parsed.slice(0, closed + 1);
}

/** Whether the thought begins at once; where tags are text, blanks may stand before it. */
const begins = ({ tags }: RunState, ids: readonly number[], parsed: readonly Parsed[]): boolean =>
  tags.spelling === 'ids'
    ? tags.meaning(ids[0] ?? -1)?.type === 'open'
    : parsed[0]?.type === 'opened';

/**
 * The hint for a policy without an instruction if no search may be made; the others' instruction
 * says so. The words are those that it knows from the end of its searches.
 */
const noSearchHint = ({ deps, settings, tags }: RunState): number[] =>
  tags.spelling === 'ids' &&
  !knowsForms(deps.policy.tokenizer) &&
  (traitsOf(settings).way === 'think' ||
    settings.loop === 'think' ||
    (settings.loop === 'agent' && settings.retrieval.maxSearches === 0))
    ? blockIds(deps.policy.tokenizer, tags, 'hint', ` ${HINTS.answerNow}`)
    : [];

/** @throws Error where the context cannot even hold the instruction and an answer */
function checkRoom(state: RunState, frame: Frame): void {
  const needed = frame.before.length + frame.after.length;
  if (needed === 0 || contextRoom(state) - needed >= 16) return;
  const { maxContext } = state.deps.policy.info;
  throw new Error(
    `the model's context of ${maxContext} tokens has no room for the instruction of ${needed} tokens, a question and an answer; choose a model with a longer context`,
  );
}

/**
 * Opens a context: instruction (if any), background (if any) and question, and in the first one, in mode `shown`, T's
 * thought.
 * @param given text that is where a background does
 */
export async function openContext(state: RunState, given?: string): Promise<void> {
  const { conversation, deps, settings, tags, transcript } = state;
  const { mode } = settings.background;
  const { tokenizer } = deps.policy;
  const frame = promptFrame(deps.policy, tags, settings);
  const turns = speaksInTurns(tags);
  // A turn of the model's holds its calls and its thoughts: none of T's is put into it.
  const thinksFirst = mode === 'shown' && transcript.rollout.contexts === undefined && !turns;
  checkRoom(state, frame);
  const hits = given !== undefined || mode === 'off' ? [] : await retrieveBackground(state, frame);
  const found = (): string => passagesText(tokenizer, hits, settings.retrieval.passageTokens, tags);
  const shown = given ?? (hits.length > 0 ? found() : '');
  const question = questionIds(state, frame);
  const hint = noSearchHint(state);
  const alone = [...frame.before, ...question, ...hint, ...frame.after];
  const thought = thinksFirst ? await thinkWithoutBackground(state, alone, frame) : null;
  conversation.write('prompt', 'instruction', frame.before);
  if (shown !== '') {
    const room =
      contextRoom(state) -
      question.length -
      hint.length -
      frame.after.length -
      (thought?.ids.length ?? 0);
    const ids = blockIds(tokenizer, tags, 'background', shown, Math.floor(room / 2));
    if (room / 2 >= 3) conversation.write('environment', 'background', ids);
  }
  conversation.write('prompt', 'question', question);
  conversation.write('prompt', 'hint', hint);
  if (turns) conversation.openTurnLater('prompt', frame.after);
  else conversation.write('prompt', 'instruction', frame.after);
  if (frame.opensThought) conversation.parser.force('think', []);
  if (!thinksFirst) return;
  if (!thought) {
    fault(state, 'T wrote no whole thought; the policy thinks with the background in view');
    return;
  }
  const segment = transcript.lastSegment + 1;
  conversation.session.append(thought.ids);
  transcript.add('policy', 'think', thought.ids);
  conversation.parser.closedByEnvironment('think');
  const { text } = thought;
  state.thought = text;
  transcript.event({ kind: 'think', text, phase: 'alignment', segment });
}
