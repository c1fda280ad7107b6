import { RecordError, type Importer, type RecordParts } from '../parts/build.ts';
import {
  atFirstAnswer,
  completionOf,
  lastAsked,
  messagesOf,
  promptOf,
  textOf,
  type Message,
} from '../parts/messages.ts';
import { goldsIn, questionIn, stepIn } from '../parts/question.ts';
import { asNumber, asText, type JsonObject } from '../shape/json.ts';
import { isObject } from '../../../base/objects.ts';

/**
 * Items of OpenAI's Responses API, one per thought, call, result and message, in a list `output`; and of
 * BrowseComp-Plus, which keeps them under `result` with the result of a call in the call itself.
 */

const ITEM = /^(?:message|reasoning|output_text|\w{0,40}_call|\w{0,40}_call_output)$/;

const isItem = (value: unknown): value is JsonObject =>
  isObject(value) && (ITEM.test(asText(value['type']) ?? '') || asText(value['role']) !== null);

const isItems = (value: unknown): value is JsonObject[] =>
  Array.isArray(value) && value.length > 0 && value.every(isItem);

const said = (more: JsonObject): JsonObject => ({ role: 'assistant', content: '', ...more });

/** A result as text: what is no text stays JSON, as a tool would print it. */
const heard = (value: unknown, call: unknown): JsonObject => ({
  role: 'tool',
  tool_call_id: call,
  content: asText(value) ?? (isItems(value) ? value : JSON.stringify(value)),
});

function callIn(item: JsonObject, type: string): JsonObject[] {
  const id = item['call_id'] ?? item['id'];
  const name = item['name'] ?? item['tool_name'] ?? type.replace(/_call$/, '');
  const { action, queries, code } = item;
  const given = item['arguments'] ?? action ?? (queries === undefined ? { code } : { queries });
  const call = said({ tool_calls: [{ id, name, arguments: given }] });
  const results = item['output'] ?? item['results'] ?? item['outputs'] ?? null;
  return results === null ? [call] : [call, heard(results, id)];
}

/** Items as chat messages. */
function chatOf(item: JsonObject): JsonObject[] {
  const type = asText(item['type']) ?? 'message';
  if (type === 'reasoning') {
    const thought = [item['content'], item['summary'], item['output']].map(textOf);
    return [said({ reasoning_content: thought.find((text) => text !== '') ?? '' })];
  }
  if (type === 'output_text') return [said({ content: textOf(item['text'] ?? item['output']) })];
  if (type.endsWith('_call_output')) return [heard(item['output'], item['call_id'])];
  return type.endsWith('_call') ? callIn(item, type) : [item];
}

function askedIn(input: unknown): Message[] {
  const text = asText(input);
  const items = text === null ? input : [{ role: 'user', content: text }];
  return (isItems(items) ? messagesOf(items.flatMap(chatOf)) : null) ?? [];
}

/**
 * One response: `input` (a text, messages, or the items before), `output` with the items that the model and its
 * tools added, and beside it whatever was noted. A run of BrowseComp-Plus has neither question nor gold answer,
 * only the number of its query.
 * @throws RecordError naming the key at fault
 */
function readResponses(record: JsonObject): RecordParts {
  const items = [record['output'], record['result']].find(isItems) ?? [];
  const messages = messagesOf(items.flatMap(chatOf));
  if (messages === null)
    throw new RecordError('a message among the items must have a role and a content with text');
  const [asked, rest] = atFirstAnswer([...askedIn(record['input']), ...messages]);
  const reward = asNumber(record['reward']) ?? asNumber(record['score']);
  const id = asText(record['query_id']) ?? asNumber(record['query_id']);
  const named = asText(record['question']) ?? asText(record['query']);
  return {
    prompt: promptOf(asked),
    ...completionOf(rest),
    held: [],
    question: named ?? (questionIn(lastAsked(asked) ?? '') || (id === null ? '' : `query ${id}`)),
    answers: goldsIn(record),
    step: stepIn(record),
    reward,
    rewards: reward === null ? [] : [{ clause: 'reward', value: reward, weight: 1, evidence: [] }],
    advantage: asNumber(record['advantage']),
  };
}

export const responses: Importer = {
  id: 'responses',
  name: 'responses of OpenAI’s API',
  keys: ['output'],
  is: ({ output }) => isItems(output),
  read: readResponses,
};

export const browseComp: Importer = {
  id: 'browsecomp-plus',
  name: 'runs of BrowseComp-Plus',
  keys: ['query_id', 'result'],
  is: ({ result }) => isItems(result),
  read: readResponses,
};
