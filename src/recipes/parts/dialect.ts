/**
 * Formats that published systems speak, by id: tags, what the environment answers with, how an answer stands.
 * `tools`: the checkpoint's own chat template and tool calls, for any recipe whose loop lets the model write whole turns.
 * They are for policies whose tags are text; one whose tags are tokens of its own speaks those.
 * `src/agent/transcript/dialects` has what each is.
 */
export const DIALECTS = [
  'search-r1',
  'r1-searcher',
  'research',
  'ur2',
  'auto-refine',
  're-seek',
  'r-search',
  'in-forage',
  'tool-star',
  'arena',
  's3',
  'deep-researcher',
  'hrpo',
  'search-o1',
  'self-ask',
  'react',
  'thoughts',
  'tools',
] as const;
export type DialectId = (typeof DIALECTS)[number];
