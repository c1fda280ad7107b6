import type { ImportedRollout, ImportedSegment } from './imported.ts';
import type { JsonObject } from './json.ts';
import { joinColumns } from './tokens.ts';

/** Writers: one line of JSON a rollout, without the newline. */

export type WrittenLayout = 'forage' | 'verl' | 'rl-logging-board';

/** Infinity and NaN are no JSON: `JSON.stringify` writes them as null, as FORMATS asks. */
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

const oneOrAll = (answers: readonly string[]): string | string[] =>
  answers.length === 1 ? answers[0]! : [...answers];

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

/** verl's `rollout_data_dir` layout: `input, output, gts, score, step` and the extra keys it had. */
function verlLine(rollout: ImportedRollout): string {
  const { prompt, response } = promptAndResponse(rollout);
  const fields = fieldsOf(rollout, 'verl');
  return JSON.stringify({
    input: join(prompt),
    output: join(response),
    ...(rollout.origin?.layout !== 'verl' && {
      gts: oneOrAll(rollout.question.answers),
      score: rollout.reward,
      step: rollout.step,
    }),
    ...fields,
    ...columnsOf(rollout, rollout.origin?.layout === 'verl' ? rollout.origin.columns : {}),
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
 * of the response, so the environment's tokens get null, and the mask of who wrote them.
 */
function filled(segments: readonly ImportedSegment[]): ImportedSegment[] {
  return segments.map((segment) => {
    const { ids, mask, logprobs, entropies } = segment;
    if (!ids || mask === undefined) return segment;
    const none = ids.map(() => null);
    return {
      ...segment,
      lossMask: ids.map(() => mask),
      logprobs: logprobs ?? none,
      entropies: entropies ?? none,
    };
  });
}

/** RLLoggingBoard's layout. */
function boardLine(rollout: ImportedRollout): string {
  const { prompt, response } = promptAndResponse(rollout);
  const own = rollout.origin?.layout === 'rl-logging-board';
  const written = own ? rollout : { ...rollout, segments: [...prompt, ...filled(response)] };
  const names = { ...BOARD_KEYS, ...(own && rollout.origin!.columns) };
  return JSON.stringify({
    prompt: join(prompt),
    response: join(response),
    ...(!own && {
      reward: rollout.reward,
      step: rollout.step,
      ground_truth: oneOrAll(rollout.question.answers),
      // Its own columns do not say; ours differ from the model's own where a rollout was tempered.
      ...(rollout.policy?.logprobsOf && { logprobs_of: rollout.policy.logprobsOf }),
    }),
    ...fieldsOf(rollout, 'rl-logging-board'),
    ...columnsOf(written, names),
  });
}

const WRITERS: Record<WrittenLayout, (rollout: ImportedRollout) => string> = {
  forage: forageLine,
  verl: verlLine,
  'rl-logging-board': boardLine,
};

/** One rollout as a line of a layout, without the newline. */
export const writeRollout = (rollout: ImportedRollout, layout: WrittenLayout): string =>
  WRITERS[layout](rollout);
