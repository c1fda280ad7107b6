import type { AnswerEvent, StopEvent } from '../records/events.ts';
import { wantsLongAnswer } from './answers/long-answer.ts';
import {
  answerOpening,
  blockIds,
  chosenAnswerIds,
  longAnswerOpening,
  readAnswerIn,
} from './transcript/blocks.ts';
import { answerRoom, answerTokensOf } from './budget.ts';
import type { Placed } from './transcript/conversation.ts';
import { HINTS } from '../records/protocol.ts';
import { checkCancelled, fault, stop, type RunState } from './state.ts';
import { countedForm, finalCandidate, type StieStop } from './stie.ts';
import { speaksInTurns } from './transcript/tags.ts';
import { askInTurns } from './turns.ts';

/** How a rollout comes to its answer: by the policy, by force at a limit, or by STIE. */

function give(
  state: RunState,
  answer: Pick<AnswerEvent, 'text' | 'form' | 'by'>,
  segment: number,
): void {
  state.transcript.rollout.answer = answer.text;
  state.transcript.event({ kind: 'answer', ...answer, segment });
}

/**
 * STIE's word on an answer that the policy gave: a blocked one gives way to the final candidate.
 * @returns the answer that counts, and who chose it
 */
function filterAnswer(
  state: RunState,
  text: string,
  segment: number,
): { text: string; by: 'policy' | 'stie' } {
  const { stie } = state.settings;
  if (stie.mode === 'off' || !stie.overAnswers) return { text, by: 'policy' };
  if (!state.memory.blocked.has(countedForm(text, stie.mode))) return { text, by: 'policy' };
  const final = finalCandidate(state.memory, stie.tokens);
  state.transcript.event({
    kind: 'verdict',
    over: 'answer',
    round: state.searches.length,
    mode: stie.mode,
    text,
    checks: [],
    aggDiff: null,
    valid: false,
    action: final ? 'replaced' : 'kept-invalid',
    ...(final ? { replacement: final.text } : {}),
    reason: final
      ? 'in the blocked set; the most confident free answer of the history replaces it'
      : 'in the blocked set, but the history holds no other answer',
    counts: Object.fromEntries(state.memory.counts),
    blocked: [...state.memory.blocked],
    segment,
  });
  return final ? { text: final.text, by: 'stie' } : { text, by: 'policy' };
}

/** Takes an answer block that the policy wrote. @returns whether it held an answer */
export function takeAnswer(
  state: RunState,
  block: { inner: string; form: 'short' | 'long'; segment: number },
  forced: boolean,
): boolean {
  const { answer, faults } = readAnswerIn(state.tags, block.inner);
  for (const message of faults) fault(state, message, block.segment);
  if (answer === null) return false;
  const { text, by } = filterAnswer(state, answer, block.segment);
  give(
    state,
    { text, form: block.form, by: forced && by === 'policy' ? 'forced' : by },
    block.segment,
  );
  return true;
}

/** The environment writes an answer that was chosen among several. */
function writeChosen(state: RunState, text: string, by: 'stie' | 'vote'): void {
  const ids = chosenAnswerIds(state.deps.policy.tokenizer, state.tags, text);
  state.conversation.openTurn();
  const segment = state.conversation.answerBack('answer', ids);
  give(state, { text, form: 'short', by }, segment);
}

/** The environment writes the answer that STIE chose, and the rollout stops. */
export function answerByStie(
  state: RunState,
  answer: string,
  { reason, detail, clause }: StieStop,
): void {
  writeChosen(state, answer, 'stie');
  stop(state, reason, detail, clause);
}

/** The environment writes the answer that most said, and the rollout stops. */
export function answerByVote(state: RunState, answer: string): void {
  writeChosen(state, answer, 'vote');
  stop(state, 'answer', 'the answers were voted on');
}

/** Opens the answer block in the policy's place, in the form that the question asks for. */
function openAnswer(state: RunState): void {
  state.conversation.openTurn();
  if (wantsLongAnswer(state.request.question)) {
    state.conversation.write('environment', 'answer', longAnswerOpening(state.tags));
    state.conversation.parser.force('long_answer', []);
    return;
  }
  const { tag, box } = answerOpening(state.deps.policy.tokenizer, state.tags);
  state.conversation.write('environment', 'answer', [...tag, ...box]);
  state.conversation.parser.force('short_answer', box);
}

/**
 * Lets the policy finish an answer block that the environment opened.
 * @returns what the block holds, and its segment
 */
async function finishAnswer(state: RunState): Promise<{ inner: string; segment: number }> {
  const { conversation, transcript, settings, tags, request } = state;
  const before = conversation.sampled;
  let closed: { inner: string; segment: number } | null = null;
  const onParsed = ({ parsed, segment }: Placed): void => {
    if (parsed.type === 'fault') fault(state, parsed.message, segment);
    if (parsed.type === 'closed' && !closed) closed = { inner: parsed.inner, segment };
  };
  const generated = await conversation.sample(
    {
      maxTokens: Math.max(1, Math.min(answerTokensOf(state), answerRoom(state))),
      stops: tags.stops,
      sampling: settings.sampling,
      ...(request.signal ? { signal: request.signal } : {}),
    },
    onParsed,
  );
  if (generated.finish === 'abort') checkCancelled(state);
  if (closed) return closed;
  const inner = conversation.parser.openInner;
  const segment = transcript.lastSegment;
  fault(state, `the answer is not closed after ${conversation.sampled - before} tokens`, segment);
  conversation.closeOpenBlock((kind) => tags.ids(`</${kind}>`));
  return { inner, segment };
}

/** Ends prose that a dialect reads as a thought, and notes it. */
export function noteProse({ conversation, transcript }: RunState): void {
  const text = conversation.parser.endProse()?.trim();
  if (!text) return;
  transcript.event({ kind: 'think', text, phase: 'step', segment: transcript.lastSegment });
}

/**
 * Asks for the answer now: closes what is open, writes a hint for a policy that knows only the protocol, opens
 * `<short_answer> \boxed{`, or `<long_answer>` of a question that wants one, and lets the policy continue
 * from there; then the rollout stops.
 */
export async function forceAnswer(
  state: RunState,
  end: Pick<StopEvent, 'reason' | 'detail' | 'clause'>,
  hint: boolean,
): Promise<void> {
  const { conversation, tags, deps } = state;
  checkCancelled(state);
  noteProse(state);
  const open = conversation.parser.open;
  if (open) fault(state, `<${open}> is not closed at the limit`, state.transcript.lastSegment);
  if (speaksInTurns(tags)) askInTurns(state, HINTS.answerNow, hint);
  else conversation.closeOpenBlock((kind) => tags.ids(`</${kind}>`));
  // A model that reads words would copy the hint ("no searches are left") into the box that is opened next.
  if (hint && tags.spelling === 'ids') {
    conversation.answerBack(
      'hint',
      blockIds(deps.policy.tokenizer, tags, 'hint', ` ${HINTS.answerNow}`),
    );
  }
  openAnswer(state);
  const block = await finishAnswer(state);
  const form = wantsLongAnswer(state.request.question) ? 'long' : 'short';
  const found = takeAnswer(state, { ...block, form }, hint);
  stop(
    state,
    found || hint ? end.reason : 'malformed',
    found ? end.detail : `${end.detail}; no answer`,
    end.clause,
  );
}
