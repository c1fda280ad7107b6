import type { ImportedQuestion } from '../../../../formats/import/values/types.ts';
import type { ItemKind } from '../../../contract/records/collections.ts';
import { unpackPassages, unpackQuestions } from './items.ts';

/**
 * A question in FlashRAG's layout. Read back it has its id, text, answers, task, type, level, supporting
 * titles and the triples of its chain; the passages of the chain are not part of it.
 */
const flashrag = (question: ImportedQuestion): object => {
  const { id, text, answers, supporting, chain, options, mayRetrieve, summary } = question;
  const type = question.sourceType ?? question.type;
  const triples = chain?.filter(({ subject, relation }) => subject !== '' && relation !== '');
  return {
    id,
    question: text,
    golden_answers: answers,
    options,
    mayRetrieve,
    summary,
    metadata: {
      type,
      level: question.difficulty,
      ...(supporting.length > 0 && { supporting_facts: { title: supporting } }),
      ...(triples?.length && {
        evidences: triples.map(({ subject, relation, object }) => [subject, relation, object]),
      }),
    },
  };
};

/** The items of a chunk as JSON lines, each ended. */
export async function exportLines(kind: ItemKind, gz: Uint8Array): Promise<string> {
  const values =
    kind === 'passages'
      ? (await unpackPassages(gz)).map(({ id, title, text, sentences }) => ({
          id,
          title,
          text,
          sentences,
        }))
      : (await unpackQuestions(gz)).map(flashrag);
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
