import { asText, type JsonObject } from '../shape/json.ts';
import { textAt, type Importer, type RecordParts } from '../parts/build.ts';
import { goldsIn } from '../parts/question.ts';

/** A judge's verdict as text: "True" and "False", or a sentence that begins with one of them. */
function verdictOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  const word = /^\W*(true|false)\b/i.exec(asText(value) ?? '')?.[1]?.toLowerCase();
  return word === undefined ? null : word === 'true';
}

/**
 * One line of an R1-Searcher evaluation file (arXiv 2503.05592): `question, answer, pred_ans,
 * gen_text_store, gpt4o_output`. The file holds no prompt: the response begins inside the thought.
 * @throws RecordError naming the key at fault
 */
function readR1Searcher(record: JsonObject): RecordParts {
  const predicted = record['pred_ans'] ?? null;
  const verdict = verdictOf(record['gpt4o_output']);
  return {
    prompt: [],
    response: textAt(record, 'gen_text_store'),
    held: ['gen_text_store'],
    system: 'r1-searcher',
    question: textAt(record, 'question'),
    answers: goldsIn(record, 'answer'),
    answer: predicted === null ? null : textAt(record, 'pred_ans'),
    ...(verdict !== null && { judge: { verdict, by: 'gpt4o_output' } }),
  };
}

export const r1Searcher: Importer = {
  id: 'r1-searcher',
  name: 'R1-Searcher’s evaluation files',
  keys: ['gen_text_store'],
  read: readR1Searcher,
};
