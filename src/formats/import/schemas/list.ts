import { CONTAINERS, type Container, type Format } from '../values/types.ts';
import { hotpotQa, musiqueQuestions, twoWikiMultiHopQa } from './multihop.ts';
import { contents, passage, prose, titleSentences } from './passage-schemas.ts';
import type { ItemSchema } from './schema.ts';
import { flashragQuestions, plainQuestions, verlQuestions } from './single.ts';

/** What items of questions and passages there are. In the order of the menu; the first that claims an item reads it. */
export const SCHEMAS: readonly ItemSchema[] = [
  hotpotQa,
  twoWikiMultiHopQa,
  musiqueQuestions,
  verlQuestions,
  flashragQuestions,
  plainQuestions,
  contents,
  passage,
  titleSentences,
  prose,
];

/** @throws Error for a schema that is not in the list */
export function itemSchema(id: string, schemas: readonly ItemSchema[] = SCHEMAS): ItemSchema {
  const found = schemas.find((schema) => schema.id === id);
  if (found) return found;
  throw new Error(
    `There is no format of items called “${id}”; this version knows ${schemas.map((schema) => schema.id).join(', ')}.`,
  );
}

/** @throws Error for a schema that is not in the list */
export const formatOf = (
  container: Container,
  schema: string,
  schemas: readonly ItemSchema[] = SCHEMAS,
): Format => ({ container, schema, kind: itemSchema(schema, schemas).kind });

/** Every format that a file may be read as, container by container. */
export const formatsOf = (schemas: readonly ItemSchema[]): Format[] =>
  CONTAINERS.flatMap((container) =>
    schemas
      .filter(({ containers }) => containers.includes(container))
      .map(({ id }) => formatOf(container, id, schemas)),
  );

/** What a JSON value is by its keys; null for what no reader knows. */
export function schemaOf(
  value: unknown,
  schemas: readonly ItemSchema[] = SCHEMAS,
): ItemSchema | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  // An item's own keys alone: a name such as `constructor` is none.
  const item: Record<string, unknown> = Object.assign(Object.create(null), value);
  return schemas.find(({ is }) => is(item)) ?? null;
}
