import { itemAt } from '../../../base/items.ts';
import {
  promptSegment,
  RecordError,
  textAt,
  type Importer,
  type RecordParts,
} from '../parts/build.ts';
import type { ImportedSegment } from '../shape/imported.ts';
import { asText, type JsonObject } from '../shape/json.ts';
import { messagesOf } from '../parts/messages.ts';
import { goldsIn } from '../parts/question.ts';
import { isObject } from '../../../base/objects.ts';

/** FlashRAG: `question, golden_answers` and an `output` that the pipeline filled. */
const isFlashRag = (record: JsonObject): boolean =>
  Object.hasOwn(record, 'question') &&
  isObject(record['output']) &&
  ['pred', 'retrieval_result', 'prompt'].some((key) =>
    Object.hasOwn(record['output'] as JsonObject, key),
  );

/** `contents` is `"Title"\ntext`; some corpora give the two apart. */
function passageText(value: unknown): string[] {
  if (!isObject(value)) return [];
  const contents = asText(value['contents']);
  if (contents !== null) return [contents];
  const text = asText(value['text']);
  return text === null ? [] : [`"${asText(value['title']) ?? ''}"\n${text}`];
}

/** Passages of one retrieval, numbered as FlashRAG's prompts number them. */
const resultText = (passages: readonly string[]): string =>
  passages
    .map((passage, i) => {
      const lines = passage.split('\n');
      const title = itemAt(lines, 0).replaceAll('"', '');
      return `Doc ${i + 1}(Title: ${title}) ${lines.slice(1).join('\n')}\n`;
    })
    .join('');

/** Every retrieval of the pipeline in order: the one of simple pipelines, the rounds of iterative ones. */
function retrievals(output: JsonObject): ImportedSegment[] {
  const lists = Object.entries(output)
    .filter(([key]) => /^retrieval_result(?:_iter_\d{1,4})?$/.test(key))
    .map(([, value]) => (Array.isArray(value) ? value.flatMap(passageText) : []));
  return lists
    .filter((passages) => passages.length > 0)
    .map((passages) => ({
      source: 'environment',
      role: 'result',
      text: resultText(passages),
    }));
}

function promptText(value: unknown): string {
  const messages = messagesOf(value);
  return messages ? messages.map(({ content }) => content).join('\n') : (asText(value) ?? '');
}

/**
 * One item of FlashRAG's `intermediate_data.json`: `id, question, golden_answers, output {retrieval_result,
 * prompt, pred, metric_score}`. The pipeline retrieved, not the policy: what was found stands before the
 * response, and no query is counted. `pred` is the answer; the scores of `metric_score` stay among the
 * fields, since they are not a reward.
 * @throws RecordError naming the key at fault
 */
function readFlashRag(record: JsonObject): RecordParts {
  const output = record['output'];
  if (!isObject(output)) throw new RecordError('"output" must be an object');
  const prediction = asText(output['pred']);
  const response =
    asText(output['raw_pred']) ?? asText(output['final_response']) ?? prediction ?? '';
  const question = textAt(record, 'question');
  return {
    prompt: [...promptSegment(promptText(output['prompt']) || question), ...retrievals(output)],
    response,
    // The output is an object with more in it than the texts of the segments.
    held: [],
    question,
    answers: goldsIn(record, 'golden_answers'),
    ...(prediction !== null && { answer: prediction }),
  };
}

export const flashRag: Importer = {
  id: 'flashrag',
  name: 'dumps of FlashRAG',
  keys: ['question', 'output'],
  is: isFlashRag,
  read: readFlashRag,
};
