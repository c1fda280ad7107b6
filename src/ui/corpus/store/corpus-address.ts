/** The corpus page with a search on it. Not `q`: that names a question wherever a page is loaded. */
export const corpusSearch = (query: string): string =>
  `/corpus?${new URLSearchParams({ find: query }).toString()}`;

/** What an address searches the corpus for; empty where it does not. */
export const searchedFor = (search: string): string =>
  new URLSearchParams(search).get('find') ?? '';
