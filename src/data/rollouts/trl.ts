import type { RewardClause } from '../rollout.ts';
import { buildRollout, promptSegment, RecordError, type Place } from './build.ts';
import type { ImportedRollout, ImportedSegment } from './imported.ts';
import { asNumber, asText, isObject, type JsonObject } from './json.ts';
import { recogniseProtocol } from './protocols/recognise.ts';
import { splitText } from './protocols/split.ts';
import { goldAnswers, questionIn } from './question.ts';

interface Message {
  role: string;
  content: string;
}

/** Chat messages; null where the value is no list of them. */
function messagesOf(value: unknown): Message[] | null {
  if (!Array.isArray(value)) return null;
  const messages = value.map((item) => {
    if (!isObject(item)) return null;
    const [role, content] = [asText(item['role']), asText(item['content'] ?? '')];
    return role === null || content === null ? null : { role, content };
  });
  return messages.every((message) => message !== null) ? messages : null;
}

const promptOf = (messages: readonly Message[]): ImportedSegment[] =>
  messages.map(({ role, content }) => ({
    source: 'prompt',
    role: role === 'user' ? 'question' : 'instruction',
    text: content,
  }));

/** The assistant's turns cut into blocks; what tools and users say in between is the environment's. */
function completionOf(messages: readonly Message[]): ImportedSegment[] {
  const protocol = recogniseProtocol(messages.map(({ content }) => content).join('\n'));
  return messages.flatMap(({ role, content }): ImportedSegment[] => {
    if (role !== 'assistant')
      return [{ source: 'environment', role: role === 'tool' ? 'result' : 'other', text: content }];
    if (!protocol)
      return content === '' ? [] : [{ source: 'policy', role: 'other', text: content }];
    return splitText(content, protocol).map(({ source, role: own, text }) => ({
      source: source === 'prompt' ? 'policy' : source,
      role: own,
      text,
    }));
  });
}

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
export function readTrl(record: JsonObject, place: Place): ImportedRollout {
  const { prompt, completion } = record;
  const [asked, said] = [messagesOf(prompt), messagesOf(completion)];
  for (const [key, value, messages] of [
    ['prompt', prompt, asked],
    ['completion', completion, said],
  ] as const)
    if (typeof value !== 'string' && messages === null)
      throw new RecordError(`"${key}" must be text or a list of {role, content}`);
  const promptSegments = asked ? promptOf(asked) : promptSegment(prompt as string);
  const segments = said && completionOf(said);
  const rewards = rewardsOf(record);
  const lastUser = asked?.findLast(({ role }) => role === 'user')?.content;
  const question =
    asText(record['question']) ??
    questionIn(lastUser ?? promptSegments.map((s) => s.text).join('\n'));
  return buildRollout(
    {
      layout: 'trl',
      record,
      prompt: promptSegments,
      response: segments ? segments.map(({ text }) => text).join('') : (completion as string),
      ...(segments && { responseSegments: segments }),
      // Messages keep their own shape among the fields: joined texts do not give it back.
      held: [...(asked ? [] : ['prompt']), ...(said ? [] : ['completion'])],
      question,
      answers: goldAnswers(record['answer'] ?? record['ground_truth'] ?? record['solution']),
      step: stepOf(record['step']),
      rewards,
      reward: rewards.length === 1 ? rewards[0]!.value : null,
      advantage: asNumber(record['advantage']),
    },
    place,
  );
}
