import type { RewardClause } from '../../../records/rollout.ts';
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
import { goldsIn } from '../parts/question.ts';
import { isObject } from '../../../base/objects.ts';

/** A sample of an Inspect AI log: `id, epoch, input, target, messages, output, scores`. */
const isInspectSample = (record: JsonObject): boolean =>
  ['messages', 'target', 'input'].every((key) => Object.hasOwn(record, key)) &&
  ['epoch', 'scores', 'output'].some((key) => Object.hasOwn(record, key));

const ATTACHMENT = 'attachment://';

/** Long texts stand apart, under their hash; in the messages a reference stands for them. */
function attached(value: unknown, attachments: JsonObject): unknown {
  if (typeof value === 'string')
    return value.startsWith(ATTACHMENT)
      ? (asText(attachments[value.slice(ATTACHMENT.length)]) ?? value)
      : value;
  if (Array.isArray(value)) return value.map((item) => attached(item, attachments));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, attached(item, attachments)]),
  );
}

/** What the model answered to each call, in order: of the log's events, else the sample's own output. */
function choicesOf(record: JsonObject): JsonObject[] {
  const events = Array.isArray(record['events']) ? record['events'].filter(isObject) : [];
  const calls = events.filter(({ event }) => event === 'model');
  return [...calls, record].flatMap(({ output }) => {
    const choices = isObject(output) ? output['choices'] : null;
    const first: unknown = Array.isArray(choices) ? choices[0] : null;
    return isObject(first) && isObject(first['logprobs']) ? [first] : [];
  });
}

/** Log-probabilities are beside a choice; here they are put into the message that the choice became. */
function withLogprobs(record: JsonObject): unknown {
  const { messages } = record;
  const choices = choicesOf(record);
  if (!Array.isArray(messages) || choices.length === 0) return messages;
  return messages.map((message: unknown) => {
    if (!isAssistant(message)) return message;
    const own = choices.find(({ message: said }) => {
      if (!isObject(said)) return false;
      const id = asText(message['id']);
      return id !== null && asText(said['id']) !== null
        ? said['id'] === id
        : JSON.stringify(said['content']) === JSON.stringify(message['content']);
    });
    return own ? { ...message, logprobs: own['logprobs'] } : message;
  });
}

/** Inspect's letters: correct, partly, incorrect, no answer. */
const LETTERS = new Map([
  ['C', 1],
  ['P', 0.5],
  ['I', 0],
  ['N', 0],
]);

function scoreOf(value: unknown): number | null {
  if (typeof value === 'boolean') return Number(value);
  const text = asText(value);
  return text === null ? asNumber(value) : (LETTERS.get(text) ?? null);
}

/** What was scored, whether or not a number came of it: by scorer, or by its name for each of several values. */
const scoredIn = (scores: JsonObject): [string, unknown][] =>
  Object.entries(scores).flatMap(([scorer, score]): [string, unknown][] => {
    const value = isObject(score) ? score['value'] : score;
    return isObject(value)
      ? Object.entries(value).map(([part, own]) => [`${scorer}.${part}`, own])
      : [[scorer, value]];
  });

const clausesOf = (scored: readonly [string, unknown][]): RewardClause[] =>
  scored.flatMap(([clause, own]) => {
    const value = scoreOf(own);
    return value === null ? [] : [{ clause, value, weight: 1, evidence: [] }];
  });

/** What a scorer read as the answer; undefined where none says. */
const answerOf = (scores: JsonObject): string | undefined =>
  Object.values(scores)
    .map((score) => (isObject(score) ? asText(score['answer']) : null))
    .find((answer) => answer !== null) ?? undefined;

function questionOf(input: unknown): string {
  const messages = messagesOf(input);
  return (messages ? lastAsked(messages) : asText(input)) ?? '';
}

/**
 * One sample of an Inspect AI log. The reward is stated where there is one score; with several, nothing
 * says how they weigh, also where all but one gave none. All scorers' values are clauses.
 * @throws RecordError naming the key at fault
 */
function readInspectSample(record: JsonObject): RecordParts {
  const attachments = isObject(record['attachments']) ? record['attachments'] : {};
  const messages = messagesOf(attached(withLogprobs(record), attachments));
  if (messages === null) throw new RecordError('"messages" must be a list of {role, content}');
  const [asked, said] = atFirstAnswer(messages);
  const scores = isObject(record['scores']) ? record['scores'] : {};
  const scored = scoredIn(scores);
  const rewards = clausesOf(scored);
  const answer = answerOf(scores);
  return {
    prompt: promptOf(asked),
    ...completionOf(said),
    held: [],
    question: questionOf(attached(record['input'], attachments)),
    answers: goldsIn(record, 'target').map((target) => target.trim()),
    answer,
    rewards,
    reward: scored.length === 1 ? (rewards[0]?.value ?? null) : null,
  };
}

export const inspectAi: Importer = {
  id: 'inspect-ai',
  name: 'Inspect AI’s .eval logs',
  keys: ['messages', 'target'],
  is: isInspectSample,
  read: readInspectSample,
};
