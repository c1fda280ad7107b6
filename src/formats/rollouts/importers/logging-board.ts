import { promptSegment, textAt, textsAt, type Importer, type RecordParts } from '../parts/build.ts';
import { asNumber, asText, type JsonObject } from '../shape/json.ts';
import { goldAnswers, questionIn } from '../parts/question.ts';

/**
 * Keys that the board's loader needs and that the rollout it was written from did not state: our writer
 * lists them, because the loader takes neither a gap nor null for them.
 */
export const UNSTATED = 'unstated';

/**
 * One line of an RLLoggingBoard file: `prompt, response, response_tokens[], logprobs[], ref_logprobs[],
 * values[], token_rewards[], reward, step`; all but the two texts may be missing.
 * @throws RecordError naming the key at fault
 */
function readLoggingBoard(record: JsonObject): RecordParts {
  const prompt = textAt(record, 'prompt');
  const unstated = textsAt(record, UNSTATED);
  const stated = (key: string): number | null =>
    unstated.includes(key) ? null : asNumber(record[key]);
  const reward = stated('reward');
  const golds = record['ground_truth'] ?? record['answer'] ?? record['gts'];
  return {
    prompt: promptSegment(prompt),
    response: textAt(record, 'response'),
    held: ['prompt', 'response'],
    question: asText(record['question']) ?? questionIn(prompt),
    answers: goldAnswers(golds),
    step: stated('step'),
    reward,
    rewards: reward === null ? [] : [{ clause: 'reward', value: reward, weight: 1, evidence: [] }],
    advantage: asNumber(record['advantage']),
  };
}

export const loggingBoard: Importer = {
  id: 'rl-logging-board',
  name: 'RLLoggingBoard’s logs',
  keys: ['prompt', 'response'],
  read: readLoggingBoard,
};
