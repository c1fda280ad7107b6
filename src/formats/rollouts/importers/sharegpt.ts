import { RecordError, type Importer, type RecordParts } from '../parts/build.ts';
import { asNumber, asText, type JsonObject } from '../shape/json.ts';
import {
  atFirstAnswer,
  completionOf,
  lastAsked,
  messagesOf,
  promptOf,
  roleOf,
  textMessage,
} from '../parts/messages.ts';
import { goldsIn, questionIn, stepIn } from '../parts/question.ts';
import { isObject } from '../../../base/objects.ts';

/** Roles of a conversation; `function_call` is the model's. */
const SPEAKERS = ['system', 'user', 'assistant', 'tool'];

/** A turn as a chat message: `function_call` holds the call as JSON, one or a list. */
function messageOf(turn: unknown): unknown {
  if (!isObject(turn) || turn['from'] === undefined) return turn;
  const from = (asText(turn['from']) ?? '').toLowerCase();
  const { value } = turn;
  if (from === 'function_call')
    return { role: 'assistant', content: '', tool_calls: Array.isArray(value) ? value : [value] };
  const role = roleOf(from);
  if (!SPEAKERS.includes(role))
    throw new RecordError(
      `"conversations" has a turn from ${JSON.stringify(turn['from'])}; expected human, gpt, system, function_call, observation or another name of theirs`,
    );
  return { role, content: value };
}

/**
 * A conversation in ShareGPT's layout: `conversations: [{from: human | gpt | system | function_call |
 * observation, value}]`, also with `role` and `content`, and `system` beside it as LLaMA-Factory has it.
 * @throws RecordError naming the key at fault
 */
function readShareGpt(record: JsonObject): RecordParts {
  const turns = record['conversations'];
  const messages = Array.isArray(turns) ? messagesOf(turns.map(messageOf)) : null;
  if (messages === null)
    throw new RecordError('"conversations" must be a list of {from, value} with texts');
  const [asked, said] = atFirstAnswer(messages);
  const system = asText(record['system']) ?? '';
  const before = system === '' ? [] : [textMessage('system', system)];
  const reward = asNumber(record['reward']) ?? asNumber(record['score']);
  return {
    prompt: promptOf([...before, ...asked]),
    ...completionOf(said),
    held: [],
    question: asText(record['question']) ?? questionIn(lastAsked(asked) ?? ''),
    answers: goldsIn(record),
    step: stepIn(record),
    reward,
    rewards: reward === null ? [] : [{ clause: 'reward', value: reward, weight: 1, evidence: [] }],
  };
}

export const shareGpt: Importer = {
  id: 'sharegpt',
  name: 'ShareGPT conversations',
  keys: ['conversations'],
  read: readShareGpt,
};
