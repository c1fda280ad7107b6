import { RecordError, type Importer, type RecordParts } from '../parts/build.ts';
import { asNumber, asText, type JsonObject } from '../shape/json.ts';
import { atFirstAnswer, completionOf, lastAsked, messagesOf, promptOf } from '../parts/messages.ts';
import { goldsIn, questionIn, stepIn } from '../parts/question.ts';
import { isObject } from '../../../base/objects.ts';

/** Whose turn it is, by the words that datasets and LLaMA-Factory use. */
const ROLES = new Map([
  ['human', 'user'],
  ['user', 'user'],
  ['gpt', 'assistant'],
  ['assistant', 'assistant'],
  ['chatgpt', 'assistant'],
  ['bing', 'assistant'],
  ['bard', 'assistant'],
  ['model', 'assistant'],
  ['function_call', 'assistant'],
  ['system', 'system'],
  ['observation', 'tool'],
  ['tool', 'tool'],
  ['function_response', 'tool'],
]);

/** A turn as a chat message: `function_call` holds the call as JSON, one or a list. */
function messageOf(turn: unknown): unknown {
  if (!isObject(turn) || turn['from'] === undefined) return turn;
  const from = asText(turn['from']) ?? '';
  const role = ROLES.get(from.toLowerCase());
  if (role === undefined)
    throw new RecordError(
      `"conversations" has a turn from ${JSON.stringify(turn['from'])}; expected one of ${[...ROLES.keys()].join(', ')}`,
    );
  const value = turn['value'];
  if (from.toLowerCase() !== 'function_call') return { role, content: value };
  return { role, content: '', tool_calls: Array.isArray(value) ? value : [value] };
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
  const segments = completionOf(said);
  const system = asText(record['system']) ?? '';
  const before =
    system === '' ? [] : [{ role: 'system', content: system, reasoning: '', calls: [] }];
  const reward = asNumber(record['reward']) ?? asNumber(record['score']);
  return {
    prompt: promptOf([...before, ...asked]),
    response: segments.map(({ text }) => text).join(''),
    responseSegments: segments,
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
