import { ENGINES } from '../../retrieval/engines/kinds/list.ts';

/** The kinds of web source in the form: the built-in web, and each search engine. */

interface WebKind {
  id: string;
  name: string;
  /** What it is, in one sentence. */
  about: string;
  /** An example address; empty if it needs none. */
  example: string;
}

const BUILT_IN: WebKind = {
  id: 'built-in',
  name: 'Built-in web',
  about: 'The web of the built-in world: an index included with this page.',
  example: '',
};

/** In list order, the built-in web first. */
export const WEB_KINDS: readonly WebKind[] = [BUILT_IN, ...ENGINES];

/** A kind by its id; the built-in web for an unknown id. */
export const webKind = (id: string): WebKind =>
  WEB_KINDS.find((kind) => kind.id === id) ?? BUILT_IN;
