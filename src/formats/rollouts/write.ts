import type { ImportedRollout, ImportedSegment } from './shape/imported.ts';
import type { JsonObject } from './shape/json.ts';
import { GIVEN, PROMPT_READ } from './parts/build.ts';
import { UNSTATED } from './importers/logging-board.ts';
import { protocolById } from './protocols/catalogue.ts';
import type { Protocol } from './protocols/protocol.ts';
import { REACT } from './protocols/react.ts';
import { splitText } from './protocols/split.ts';
import { spellTokens } from './shape/token-text.ts';
import { joinColumns } from './parts/tokens.ts';

/** Writers: one line of JSON a rollout, without the newline. */

/** Texts of tokens, each decoded alone; null where the policy's tokenizer is not available. */
export type TokenTexts = (ids: readonly number[]) => readonly string[] | null;

export type WrittenLayout = 'forage' | 'verl' | 'rl-logging-board';

/** JSON has no Infinity and NaN: `JSON.stringify` writes them as null, as docs/formats.md requires. */
const forageLine = (rollout: ImportedRollout): string => JSON.stringify(rollout);

const join = (segments: readonly ImportedSegment[]): string =>
  segments.map(({ text }) => text).join('');

/** Prompt and response: at the origin's border, else before what the policy wrote first. */
export function promptAndResponse({ origin, segments }: ImportedRollout): {
  prompt: ImportedSegment[];
  response: ImportedSegment[];
} {
  const first = segments.findIndex(({ source }) => source === 'policy');
  const at = origin?.responseAt ?? (first < 0 ? segments.length : first);
  return { prompt: segments.slice(0, at), response: segments.slice(at) };
}

/** Fields of the original where it had this layout, so that nothing of it is lost. */
const fieldsOf = (rollout: ImportedRollout, layout: WrittenLayout): JsonObject =>
  rollout.origin?.layout === layout ? rollout.origin.fields : {};

/** A file of no prompts, such as R1-Searcher's, has the question all the same. */
const promptText = (rollout: ImportedRollout, prompt: readonly ImportedSegment[]): string =>
  join(prompt) || rollout.question.text;

/** Where segments are in their joined text that the environment wrote and no tag tells as its own. */
function stretches(
  segments: readonly ImportedSegment[],
  wanted: (role: ImportedSegment['role']) => boolean,
): JsonObject[] {
  let at = 0;
  return segments.flatMap(({ source, role, text }) => {
    const start = at;
    at += text.length;
    return source === 'environment' && wanted(role) && text !== ''
      ? [{ role, start, end: at }]
      : [];
  });
}

/** Whether a text says by its tags what the environment wrote in it, and which of that are results. */
function isTold(response: readonly ImportedSegment[], protocol: Protocol | null): boolean {
  const heard = (segments: readonly ImportedSegment[]): string =>
    JSON.stringify(stretches(segments, (role) => role === 'result' || role === 'other'));
  return heard(response) === heard(protocol ? splitText(join(response), protocol) : []);
}

/**
 * Passages that were in the prompt before the first word, answers put in the policy's place, and, of another
 * system's rollout, where tags do not tell it, all that the environment wrote: in a chat the roles did, and ids
 * paired results with calls.
 */
function environmentWrote(
  prompt: readonly ImportedSegment[],
  response: readonly ImportedSegment[],
  protocol: Protocol | null,
  foreign: boolean,
): JsonObject {
  const read = stretches(prompt, (role) => role === 'background' || role === 'result');
  const told = !foreign || isTold(response, protocol);
  const given = stretches(
    response,
    (role) =>
      role === 'answer' || role === 'think' || (!told && (role === 'result' || role === 'other')),
  );
  return {
    ...(read.length > 0 && { [PROMPT_READ]: read }),
    ...(given.length > 0 && { [GIVEN]: given }),
  };
}

/**
 * The response as one text in which tags say who wrote what: messages of a chat say it by their role, and
 * get the protocol's tags here.
 */
function asOneText(
  response: readonly ImportedSegment[],
  protocol: Protocol | null,
): ImportedSegment[] {
  // What ReAct's lines say has to begin one.
  const ended = (text: string, i: number): string =>
    protocol === REACT && i < response.length - 1 && !text.endsWith('\n') ? `${text}\n` : text;
  return response.map((segment, i) => ({
    ...segment,
    text: ended(taggedText(segment, protocol), i),
  }));
}

function taggedText(
  { source, role, text, ids, tokens }: ImportedSegment,
  protocol: Protocol | null,
) {
  const byRole = role === 'result' || (role === 'think' && protocol?.prose !== 'think');
  const rule = protocol?.blocks.find((one) => one.role === role && one.source === source);
  const bare = rule && !text.includes(rule.open) && !text.includes(rule.close);
  if (!rule || !bare || !byRole || ids || tokens || text.trim() === '') return text;
  return `${rule.open}\n${text}\n${rule.close}\n`;
}

/**
 * What our reader takes from a record of any layout, so that nothing of these has to be guessed from the
 * texts: the question, the answer as it was read, the group, a judge's verdict.
 */
const besides = (rollout: ImportedRollout): JsonObject => ({
  question: rollout.question.text,
  question_id: rollout.question.id,
  group_id: rollout.groupId,
  ...(rollout.notScored === undefined && { pred: rollout.answer }),
  ...(rollout.question.supporting.length > 0 && { supporting: rollout.question.supporting }),
  judge: rollout.judge,
  error: rollout.error,
});

function oneOrAll(answers: readonly string[]): string | readonly string[] {
  const [only, ...others] = answers;
  return only !== undefined && others.length === 0 ? only : answers;
}

function columnsOf(rollout: ImportedRollout, names: Partial<Record<string, string>>): JsonObject {
  const { response } = promptAndResponse(rollout);
  if (response.length === 0) return {};
  return Object.fromEntries(
    Object.entries(joinColumns(response)).flatMap(([column, values]) => {
      const key = names[column];
      return key === undefined ? [] : [[key, values]];
    }),
  );
}

/**
 * verl's `rollout_data_dir` layout: `input, output, gts, score, step` and the extra keys it had. Its viewer
 * (`scripts/rollout_viewer.py`) takes any object a line, and opens files that are named by their step.
 */
function verlLine(rollout: ImportedRollout): string {
  const { prompt, response } = promptAndResponse(rollout);
  const protocol = protocolById(rollout.origin?.protocol);
  const said = asOneText(response, protocol);
  const fields = fieldsOf(rollout, 'verl');
  const origin = rollout.origin?.layout === 'verl' ? rollout.origin : null;
  const own = origin !== null;
  return JSON.stringify({
    input: own ? join(prompt) : promptText(rollout, prompt),
    output: join(own ? response : said),
    ...(!own && {
      gts: oneOrAll(rollout.question.answers),
      score: rollout.reward,
      step: rollout.step,
      ...besides(rollout),
      ...environmentWrote(prompt, said, protocol, rollout.origin !== undefined),
    }),
    ...fields,
    ...columnsOf(rollout, origin?.columns ?? {}),
  });
}

/** Names that RLLoggingBoard reads; what it does not know keeps a plain name of its own. */
const BOARD_KEYS = {
  tokens: 'response_tokens',
  ids: 'response_ids',
  logprobs: 'logprobs',
  refLogprobs: 'ref_logprobs',
  values: 'values',
  tokenRewards: 'token_rewards',
  entropies: 'entropies',
  advantages: 'advantages',
  lossMask: 'loss_mask',
  trainedIds: 'trained_ids',
};

/**
 * A native record has columns on the policy's segments alone; the layout wants one value for every token
 * of the response, so the environment's tokens get null, and the mask of who wrote them. The board shows
 * tokens as text, which a record of ids has not.
 */
function filled(
  segments: readonly ImportedSegment[],
  textsOf: TokenTexts | undefined,
): ImportedSegment[] {
  return segments.map((segment) => {
    const { ids, mask, logprobs, entropies } = segment;
    if (!ids || mask === undefined) return segment;
    const none = ids.map(() => null);
    const pieces = segment.tokens ? null : (textsOf?.(ids) ?? null);
    const tokens = pieces && spellTokens(segment.text, pieces);
    return {
      ...segment,
      ...(tokens && { tokens }),
      lossMask: ids.map(() => mask),
      logprobs: logprobs ?? none,
      entropies: entropies ?? none,
    };
  });
}

/**
 * The board subtracts the reference's log-probabilities from the policy's in one go, and refuses the line
 * where a value is missing; then they are under a name that it does not look for.
 */
function referenceKey(written: ImportedRollout): string {
  const { logprobs, refLogprobs } = joinColumns(promptAndResponse(written).response);
  const whole = [logprobs, refLogprobs].every((column) => !column?.includes(null));
  return whole ? BOARD_KEYS.refLogprobs : 'ref_log_probs';
}

/**
 * What the board's loader needs of every line: a step that Python's `int` takes, a reward that can be
 * summed, and a ground truth of one type. Keys that the rollout itself does not state are listed, and read
 * back as unknown.
 */
function needed({ step, reward, question }: ImportedRollout): JsonObject {
  const unstated = [...(step === null ? ['step'] : []), ...(reward === null ? ['reward'] : [])];
  return {
    reward: reward ?? 0,
    step: step ?? 0,
    ground_truth: question.answers.join('<|answer_split|>'),
    ...(unstated.length > 0 && { [UNSTATED]: unstated }),
  };
}

/** RLLoggingBoard's layout, as `load_log_file` of its `rl_logging_board.py` reads it. */
function boardLine(rollout: ImportedRollout, textsOf?: TokenTexts): string {
  const { prompt, response } = promptAndResponse(rollout);
  const protocol = protocolById(rollout.origin?.protocol);
  const said = asOneText(response, protocol);
  const origin = rollout.origin?.layout === 'rl-logging-board' ? rollout.origin : null;
  const own = origin !== null;
  const written = own
    ? rollout
    : { ...rollout, segments: [...prompt, ...filled(response, textsOf)] };
  const names = origin
    ? { ...BOARD_KEYS, ...origin.columns }
    : { ...BOARD_KEYS, refLogprobs: referenceKey(written) };
  return JSON.stringify({
    prompt: own ? join(prompt) : promptText(rollout, prompt),
    response: join(own ? response : said),
    ...(!own && {
      ...needed(rollout),
      ...besides(rollout),
      ...environmentWrote(prompt, said, protocol, rollout.origin !== undefined),
      // Its own columns do not say; ours differ from the model's own where a rollout was tempered.
      ...(rollout.policy?.logprobsOf && { logprobs_of: rollout.policy.logprobsOf }),
    }),
    ...fieldsOf(rollout, 'rl-logging-board'),
    ...columnsOf(written, names),
  });
}

const WRITERS: Record<WrittenLayout, (rollout: ImportedRollout, texts?: TokenTexts) => string> = {
  forage: forageLine,
  verl: verlLine,
  'rl-logging-board': boardLine,
};

/**
 * One rollout as a line of a layout, without the newline.
 * @param texts of the policy's tokens, for layouts that show tokens as text
 */
export const writeRollout = (
  rollout: ImportedRollout,
  layout: WrittenLayout,
  texts?: TokenTexts,
): string => WRITERS[layout](rollout, texts);
