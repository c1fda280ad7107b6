import { promptSegment, RecordError, type Importer, type RecordParts } from '../parts/build.ts';
import { goldsIn, questionIn } from '../parts/question.ts';
import { PROMPT_KEYS } from '../parts/keys.ts';
import { asText, type JsonObject } from '../shape/json.ts';
import { isObject } from '../../../base/objects.ts';

/** The first text in a list of lists, or in an object of them. */
function firstText(value: unknown): string | null {
  const text = asText(value);
  if (text !== null || typeof value !== 'object' || value === null) return text;
  for (const item of Object.values(value)) {
    const found = firstText(item);
    if (found !== null) return found;
  }
  return null;
}

/**
 * One line of lm-evaluation-harness's `samples_*.jsonl`: `doc` (the data set's own record), `arguments` (the
 * prompt), `resps`, `filtered_resps` (what the task's filter took as the answer) and `target`. Metrics stay among
 * the fields, since they are not a reward. Tasks that compare likelihoods have no text.
 * @throws RecordError naming the key at fault
 */
function readSample(record: JsonObject): RecordParts {
  const response = firstText(record['resps']);
  if (response === null)
    throw new RecordError('"resps" holds no text: only samples of generating tasks are rollouts');
  const doc = isObject(record['doc']) ? record['doc'] : {};
  const prompt = firstText(record['arguments']) ?? '';
  const asked = PROMPT_KEYS.map((key) => asText(doc[key])).find((text) => text !== null);
  const golds = goldsIn(record, 'target');
  const answer = firstText(record['filtered_resps']);
  return {
    prompt: promptSegment(prompt),
    response,
    held: [],
    question: asked ?? questionIn(prompt),
    answers: golds.length > 0 ? golds : goldsIn(doc),
    ...(answer !== null && { answer }),
  };
}

export const lmEval: Importer = {
  id: 'lm-eval',
  name: 'samples of lm-evaluation-harness',
  keys: ['doc', 'resps', 'filtered_resps'],
  read: readSample,
};
