import { buildRollout, promptSegment, textAt, textsAt, type Place } from './build.ts';
import type { ImportedRollout } from '../shape/imported.ts';
import { asNumber, asText, type JsonObject } from '../shape/json.ts';
import { goldAnswers, questionIn } from './question.ts';

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
export function readLoggingBoard(record: JsonObject, place: Place): ImportedRollout {
  const prompt = textAt(record, 'prompt');
  const unstated = textsAt(record, UNSTATED);
  const stated = (key: string): number | null =>
    unstated.includes(key) ? null : asNumber(record[key]);
  const reward = stated('reward');
  const golds = record['ground_truth'] ?? record['answer'] ?? record['gts'];
  return buildRollout(
    {
      layout: 'rl-logging-board',
      record,
      prompt: promptSegment(prompt),
      response: textAt(record, 'response'),
      held: ['prompt', 'response'],
      question: asText(record['question']) ?? questionIn(prompt),
      answers: goldAnswers(golds),
      step: stated('step'),
      reward,
      rewards:
        reward === null ? [] : [{ clause: 'reward', value: reward, weight: 1, evidence: [] }],
      advantage: asNumber(record['advantage']),
    },
    place,
  );
}
