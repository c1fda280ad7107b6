/** The Corpus page with a search. Not `q`: on every page that is a question. */
export const corpusSearch = (query: string): string =>
  `/corpus?${new URLSearchParams({ find: query }).toString()}`;

/** The query in an address; empty if there is none. */
export const searchedFor = (search: string): string =>
  new URLSearchParams(search).get('find') ?? '';
