import { promptSegment, textAt, type Importer, type RecordParts } from '../parts/build.ts';
import { asText, numberOrText, type JsonObject } from '../shape/json.ts';
import { goldsIn, questionIn, stepIn } from '../parts/question.ts';

/**
 * One line of verl's `rollout_data_dir` or `validation_data_dir`: `input, output, gts, score, step` and
 * whatever the reward function added. `score` is the whole reward; verl writes its parts, if at all,
 * under names of the reward function's own, which stay among the fields.
 * @throws RecordError naming the key at fault
 */
function readVerl(record: JsonObject): RecordParts {
  const input = textAt(record, 'input');
  // OpenRLHF's batch inference writes the same texts, and the reward under its own name.
  const score = numberOrText(record['score'] ?? record['reward']);
  return {
    prompt: promptSegment(input),
    response: textAt(record, 'output'),
    held: ['input', 'output'],
    question: asText(record['question']) ?? questionIn(input),
    answers: goldsIn(record, 'gts'),
    step: stepIn(record),
    reward: score,
    rewards: score === null ? [] : [{ clause: 'score', value: score, weight: 1, evidence: [] }],
  };
}

export const verl: Importer = {
  id: 'verl',
  name: 'verl’s rollout dumps',
  keys: ['input', 'output'],
  read: readVerl,
};
