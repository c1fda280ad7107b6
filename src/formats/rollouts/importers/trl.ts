import { promptSegment, RecordError, type Importer, type RecordParts } from '../parts/build.ts';
import { asNumber, asText, type JsonObject } from '../shape/json.ts';
import { completionOf, lastAsked, messagesOf, promptOf } from '../parts/messages.ts';
import { rewardsOfRow } from '../parts/rewards.ts';
import { readColumns } from '../parts/tokens.ts';
import { goldsIn, questionIn, stepIn } from '../parts/question.ts';

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
 * completion are texts or lists of chat messages.
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
  const chat = text === null && said ? completionOf(said) : null;
  const lastUser = asked ? lastAsked(asked) : undefined;
  const question =
    asText(record['question']) ??
    questionIn(lastUser ?? promptSegments.map((s) => s.text).join('\n'));
  return {
    prompt: promptSegments,
    response: text ?? asText(completion) ?? '',
    ...chat,
    // Messages keep their own shape among the fields: joined texts do not give it back.
    held: [...(asked ? [] : ['prompt']), ...(said ? [] : ['completion'])],
    question,
    answers: goldsIn(record),
    step: stepIn(record, stepOf),
    ...rewardsOfRow(record),
    advantage: asNumber(record['advantage']),
  };
}

export const trl: Importer = {
  id: 'trl',
  name: 'TRL’s parquet',
  keys: ['prompt', 'completion'],
  read: readTrl,
};
