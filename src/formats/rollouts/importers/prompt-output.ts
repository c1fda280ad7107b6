import { promptSegment, textAt, type Importer, type RecordParts } from '../parts/build.ts';
import { asNumber, asText, type JsonObject } from '../shape/json.ts';
import { goldsIn, questionIn, stepIn } from '../parts/question.ts';
import { isObject } from '../../../base/objects.ts';

/** Prompt and output as two texts: OpenRLHF and SkyRL. */

const rewardClause = (clause: string, value: number | null) =>
  value === null ? [] : [{ clause, value, weight: 1, evidence: [] }];

/**
 * One line of an OpenRLHF file: `prompt, output, reward`, and the label under `answer` or `label`.
 * @throws RecordError naming the key at fault
 */
function readOpenRlhf(record: JsonObject): RecordParts {
  const prompt = textAt(record, 'prompt');
  const reward = asNumber(record['reward']);
  return {
    prompt: promptSegment(prompt),
    response: textAt(record, 'output'),
    held: ['prompt', 'output'],
    question: asText(record['question']) ?? questionIn(prompt),
    answers: goldsIn(record, 'label'),
    step: stepIn(record),
    reward,
    rewards: rewardClause('reward', reward),
  };
}

/** A score, or one per token: their sum is the rollout's. */
function scoreOf(value: unknown): number | null {
  if (!Array.isArray(value)) return asNumber(value);
  const numbers = value.map(asNumber);
  return numbers.every((number) => number !== null) && numbers.length > 0
    ? numbers.reduce((sum, number) => sum + number, 0)
    : null;
}

/**
 * One line that SkyRL's evaluation dumps: `input_prompt, output_response, score, stop_reason`, and the
 * environment's `env_extras`, in which the gold answer stands.
 * @throws RecordError naming the key at fault
 */
function readSkyRl(record: JsonObject): RecordParts {
  const prompt = textAt(record, 'input_prompt');
  const extras = isObject(record['env_extras']) ? record['env_extras'] : {};
  const golds = goldsIn(extras, 'reward_spec');
  const score = scoreOf(record['score']);
  return {
    prompt: promptSegment(prompt),
    response: textAt(record, 'output_response'),
    held: ['input_prompt', 'output_response'],
    question: asText(record['question']) ?? questionIn(prompt),
    answers: golds.length > 0 ? golds : goldsIn(record),
    step: stepIn(record),
    reward: score,
    rewards: rewardClause('score', score),
  };
}

export const openRlhf: Importer = {
  id: 'openrlhf',
  name: 'dumps of OpenRLHF',
  keys: ['prompt', 'output'],
  read: readOpenRlhf,
};

export const skyRl: Importer = {
  id: 'skyrl',
  name: 'dumps of SkyRL',
  keys: ['input_prompt', 'output_response'],
  read: readSkyRl,
};
