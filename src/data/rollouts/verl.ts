import { buildRollout, promptSegment, textAt, type Place } from './build.ts';
import type { ImportedRollout } from './imported.ts';
import { asNumber, asText, type JsonObject } from './json.ts';
import { goldAnswers, questionIn } from './question.ts';

/** Extra keys under which reward functions of verl leave the prediction that they scored. */
const PREDICTIONS = ['pred', 'prediction', 'extracted_answer'];

/**
 * One line of verl's `rollout_data_dir` or `validation_data_dir`: `input, output, gts, score, step` and
 * whatever the reward function added. `score` is the whole reward; verl writes its parts, if at all,
 * under names of the reward function's own, which stay among the fields.
 * @throws RecordError naming the key at fault
 */
export function readVerl(record: JsonObject, place: Place): ImportedRollout {
  const input = textAt(record, 'input');
  const score = asNumber(record['score']);
  const prediction = PREDICTIONS.map((key) => asText(record[key])).find((text) => text !== null);
  return buildRollout(
    {
      layout: 'verl',
      record,
      prompt: promptSegment(input),
      response: textAt(record, 'output'),
      held: ['input', 'output'],
      question: asText(record['question']) ?? questionIn(input),
      answers: goldAnswers(record['gts']),
      ...(prediction !== undefined && { answer: prediction }),
      step: asNumber(record['step']),
      reward: score,
      rewards: score === null ? [] : [{ clause: 'score', value: score, weight: 1, evidence: [] }],
    },
    place,
  );
}
