import { itemAt } from '../../../base/items.ts';
import type { RewardClause } from '../../../records/rollout.ts';
import { promptSegment, RecordError, type Importer, type RecordParts } from '../parts/build.ts';
import { asNumber, asText, type JsonObject } from '../shape/json.ts';
import { completionOf, lastAsked, messagesOf, promptOf } from '../parts/messages.ts';
import { readColumns } from '../parts/tokens.ts';
import { goldAnswers, questionIn } from '../parts/question.ts';

const KNOWN = new Set(['step', 'advantage', 'logprobs', 'seed', 'epoch']);

/** Reward columns: every numeric one that is no name of TRL's own, weight 1 (TRL's default). */
const rewardsOf = (record: JsonObject): RewardClause[] =>
  Object.entries(record).flatMap(([clause, value]) => {
    const number = KNOWN.has(clause) ? null : asNumber(value);
    return number === null ? [] : [{ clause, value: number, weight: 1, evidence: [] }];
  });

/**
 * TRL writes the step as text (`str(self.state.global_step)`). Null for what counts none, such as "final";
 * it stays among the fields of the record as it was.
 */
function stepOf(value: unknown): number | null {
  const text = asText(value)?.trim();
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : asNumber(value);
}

/**
 * One row of TRL's completions table: `step, prompt, completion, <reward columns>, advantage`. Prompt and
 * completion are texts or lists of chat messages. The file does not say how the trainer weighed several
 * reward columns, so the reward is stated only where there is one.
 * @throws RecordError naming the key at fault
 */
function readTrl(record: JsonObject): RecordParts {
  const { prompt, completion } = record;
  const [asked, said] = [messagesOf(prompt), messagesOf(completion)];
  for (const [key, value, messages] of [
    ['prompt', prompt, asked],
    ['completion', completion, said],
  ] as const)
    if (typeof value !== 'string' && messages === null)
      throw new RecordError(`"${key}" must be text or a list of {role, content}`);
  const promptSegments = asked ? promptOf(asked) : promptSegment(prompt as string);
  // Columns of tokens are those of a completion that is one message: it is read as the text that it is.
  const [only, ...others] = said ?? [];
  const bare = only?.role === 'assistant' && others.length === 0 && only.calls.length === 0;
  const text = bare && only.reasoning === '' && readColumns(record).count > 0 ? only.content : null;
  const segments = text === null && said ? completionOf(said) : null;
  const rewards = rewardsOf(record);
  const lastUser = asked ? lastAsked(asked) : undefined;
  const question =
    asText(record['question']) ??
    questionIn(lastUser ?? promptSegments.map((s) => s.text).join('\n'));
  return {
    prompt: promptSegments,
    response: segments
      ? segments.map((one) => one.text).join('')
      : (text ?? asText(completion) ?? ''),
    ...(segments && { responseSegments: segments }),
    // Messages keep their own shape among the fields: joined texts do not give it back.
    held: [...(asked ? [] : ['prompt']), ...(said ? [] : ['completion'])],
    question,
    answers: goldAnswers(record['answer'] ?? record['ground_truth'] ?? record['solution']),
    step: stepOf(record['step']),
    rewards,
    reward: rewards.length === 1 ? itemAt(rewards, 0).value : null,
    advantage: asNumber(record['advantage']),
  };
}

export const trl: Importer = {
  id: 'trl',
  name: 'TRL’s parquet',
  keys: ['prompt', 'completion'],
  read: readTrl,
};
