import { RecordError, type Importer, type RecordParts } from '../parts/build.ts';
import { asNumber, asText, type JsonObject } from '../shape/json.ts';
import { atFirstAnswer, completionOf, lastAsked, messagesOf, promptOf } from '../parts/messages.ts';
import { goldAnswers, questionIn } from '../parts/question.ts';

/** Keys under which gold answers stand beside a chat. */
const GOLDS = ['ground_truth', 'golden_answers', 'gts', 'target', 'solution', 'label', 'answer'];

/**
 * A chat as OpenAI's API writes it: `messages` with tool calls, and beside it whatever was noted, such as
 * `reward`. Everything from the assistant's first message on is the rollout.
 * @throws RecordError naming the key at fault
 */
function readMessages(record: JsonObject): RecordParts {
  const messages = messagesOf(record['messages']);
  if (messages === null) throw new RecordError('"messages" must be a list of {role, content}');
  const [asked, said] = atFirstAnswer(messages);
  const segments = completionOf(said);
  const reward = asNumber(record['reward']) ?? asNumber(record['score']);
  const golds = GOLDS.map((key) => record[key]).find((value) => value !== undefined);
  return {
    prompt: promptOf(asked),
    response: segments.map(({ text }) => text).join(''),
    responseSegments: segments,
    held: [],
    question: asText(record['question']) ?? questionIn(lastAsked(asked) ?? ''),
    answers: goldAnswers(golds),
    step: asNumber(record['step']),
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
