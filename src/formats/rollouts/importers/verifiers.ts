import { RecordError, type Importer, type RecordParts } from '../parts/build.ts';
import { asNumber, asText, type JsonObject } from '../shape/json.ts';
import {
  completionOf,
  lastAsked,
  messagesOf,
  promptOf,
  textMessage,
  type Message,
} from '../parts/messages.ts';
import { idTokens } from '../parts/message-tokens.ts';
import { goldsIn, questionIn, stepIn } from '../parts/question.ts';
import { clausesOf, numbersIn } from '../parts/rewards.ts';
import { isObject } from '../../../base/objects.ts';

/** Keys that `results.jsonl` of verifiers has and TRL's completions table has not. */
const OWN_KEYS = [
  'example_id',
  'task',
  'generation_ms',
  'timing',
  'stop_condition',
  'is_completed',
];

const isVerifiers = (record: JsonObject): boolean =>
  ['prompt', 'completion', 'reward'].every((key) => Object.hasOwn(record, key)) &&
  OWN_KEYS.some((key) => Object.hasOwn(record, key));

/** What the rubric's functions gave: `metrics` of later versions, top-level numbers of earlier ones. */
const metricsOf = (record: JsonObject): [string, number][] =>
  numbersIn(isObject(record['metrics']) ? record['metrics'] : record);

/** A text is one message. */
function turns(record: JsonObject, key: 'prompt' | 'completion', role: string): Message[] {
  const value = record[key];
  const text = asText(value);
  const messages = text === null ? messagesOf(value ?? []) : [textMessage(role, text)];
  if (messages === null)
    throw new RecordError(`"${key}" must be text or a list of {role, content}`);
  return messages;
}

/** The model's turns with the tokens of `trajectory`, a step per turn, where it was kept. */
function withTokens(said: Message[], trajectory: unknown): Message[] {
  const steps = Array.isArray(trajectory) ? trajectory : [];
  if (steps.length !== said.filter(({ role }) => role === 'assistant').length) return said;
  let turn = 0;
  return said.map((message) => {
    if (message.role !== 'assistant') return message;
    const step: unknown = steps[turn++];
    const tokens = isObject(step) && isObject(step['tokens']) ? step['tokens'] : {};
    const logprobs = tokens['completion_logprobs'];
    const columns = idTokens(tokens['completion_ids'], { logprobs });
    return columns ? { ...message, columns } : message;
  });
}

/**
 * One line of verifiers' `results.jsonl`: `prompt` and `completion` as messages with tool calls, `answer`
 * (the gold one), `reward`, what the rubric's functions gave, timings, and perhaps the `trajectory`.
 * @throws RecordError naming the key at fault
 */
function readVerifiers(record: JsonObject): RecordParts {
  const prompt = turns(record, 'prompt', 'user');
  const said = withTokens(turns(record, 'completion', 'assistant'), record['trajectory']);
  const reward = asNumber(record['reward']);
  const promptSegments = promptOf(prompt);
  return {
    prompt: promptSegments,
    ...completionOf(said),
    // Messages keep their own shape among the fields: joined texts do not give it back.
    held: [],
    question: asText(record['question']) ?? questionIn(lastAsked(prompt) ?? ''),
    answers: goldsIn(record, 'answer'),
    step: stepIn(record),
    reward,
    rewards: reward === null ? [] : clausesOf('reward', reward, metricsOf(record)),
    advantage: asNumber(record['advantage']),
  };
}

export const verifiers: Importer = {
  id: 'verifiers',
  name: 'results of verifiers',
  keys: ['prompt', 'completion', 'reward'],
  is: isVerifiers,
  read: readVerifiers,
};
