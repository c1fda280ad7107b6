/** "company.foundingYear" → "founding year": a relation's id as people read it. */
export const relationWords = (id: string): string =>
  (id.split('.').at(-1) ?? id).replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').toLowerCase();
