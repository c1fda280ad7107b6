/**
 * The form line: what a recipe lets happen, said to the policy before everything else, in a `<form>`
 * block. So one policy knows every form, and recipes differ in what runs and not in what the policy has
 * ever seen.
 */

/** Blocks that a form may ask the policy for, in the order in which they follow a result. */
export const FORM_BLOCKS = [
  'plan',
  'judge',
  'relevance',
  'important',
  'refine',
  'memory',
  'summary',
  'evidence',
  'compute',
  'ask',
] as const;
export type FormBlock = (typeof FORM_BLOCKS)[number];

export interface Form {
  /** search: it may search. read: one result stands with the question. think: neither. */
  way: 'search' | 'read' | 'think';
  /** Whether passages for the question itself stand before it. */
  background: boolean;
  /** Whether it may choose between the local source and the web. */
  sources: boolean;
  /** Whether results are summaries for the query in place of passages. */
  summaries: boolean;
  blocks: readonly FormBlock[];
}

export const PLAIN_SEARCH: Form = {
  way: 'search',
  background: false,
  sources: false,
  summaries: false,
  blocks: [],
};

/** The line's words: the way first, then what else there is, then blocks in their fixed order. */
export const formLine = (form: Form): string =>
  [
    form.way,
    ...(form.background ? ['background'] : []),
    ...(form.sources ? ['sources'] : []),
    ...(form.summaries ? ['summaries'] : []),
    ...FORM_BLOCKS.filter((block) => form.blocks.includes(block)),
  ].join(' , ');
