import { promptSegment, textAt, textsAt, type Importer, type RecordParts } from '../parts/build.ts';
import { asNumber, asText, type JsonObject } from '../shape/json.ts';
import { goldsIn, questionIn, stepIn } from '../parts/question.ts';

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
  const reward = unstated.includes('reward') ? null : asNumber(record['reward']);
  return {
    prompt: promptSegment(prompt),
    response: textAt(record, 'response'),
    held: ['prompt', 'response'],
    question: asText(record['question']) ?? questionIn(prompt),
    answers: goldsIn(record),
    step: unstated.includes('step') ? null : stepIn(record),
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
