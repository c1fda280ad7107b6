import { RecordError, type Importer, type RecordParts } from '../parts/build.ts';
import { asNumber, asText, type JsonObject } from '../shape/json.ts';
import {
  atFirstAnswer,
  completionOf,
  isAssistant,
  lastAsked,
  messagesOf,
  promptOf,
} from '../parts/messages.ts';
import { goldsIn, questionIn, stepIn } from '../parts/question.ts';
import { isObject } from '../../../base/objects.ts';

/**
 * The chat with what a response beside it says: `choices` of a logged request hold the last message, and
 * log-probabilities are beside a message, not in it.
 */
function chatOf(record: JsonObject): unknown {
  const given = record['messages'];
  const response = isObject(record['response']) ? record['response'] : record;
  const choices = Array.isArray(response['choices']) ? response['choices'] : [];
  const choice: unknown = choices[0];
  const beside = isObject(choice) ? choice : record;
  if (!Array.isArray(given)) return given;
  const said = isObject(choice) && isAssistant(choice['message']) ? choice['message'] : null;
  const last: unknown = given.at(-1);
  const messages: unknown[] = said && !isAssistant(last) ? [...given, said] : given;
  const end: unknown = messages.at(-1);
  if (!isAssistant(end) || !isObject(beside['logprobs']) || end['logprobs'] !== undefined)
    return messages;
  return [...messages.slice(0, -1), { ...end, logprobs: beside['logprobs'] }];
}

/**
 * A chat as OpenAI's API writes it: `messages` with tool calls, and beside it whatever was noted, such as
 * `reward` or the response's `choices` with log-probabilities. Everything from the assistant's first
 * message on is the rollout.
 * @throws RecordError naming the key at fault
 */
function readMessages(record: JsonObject): RecordParts {
  const messages = messagesOf(chatOf(record));
  if (messages === null) throw new RecordError('"messages" must be a list of {role, content}');
  const [asked, said] = atFirstAnswer(messages);
  const reward = asNumber(record['reward']) ?? asNumber(record['score']);
  return {
    prompt: promptOf(asked),
    ...completionOf(said),
    held: [],
    question: asText(record['question']) ?? questionIn(lastAsked(asked) ?? ''),
    answers: goldsIn(record),
    step: stepIn(record),
    reward,
    rewards: reward === null ? [] : [{ clause: 'reward', value: reward, weight: 1, evidence: [] }],
    advantage: asNumber(record['advantage']),
  };
}

export const messages: Importer = {
  id: 'messages',
  name: 'chats as messages',
  keys: ['messages'],
  read: readMessages,
};
