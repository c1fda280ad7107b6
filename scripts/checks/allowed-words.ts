/**
 * Parts of lines in which an idiom of `check-words.ts` is right: a quotation, a question of the built-in world,
 * or text that a model was trained to read.
 */
export const ALLOWED: readonly string[] = [
  // Prompts, hints and replies that a model reads.
  'Behind each result',
  "'Answer the question with the help of the passages.",
  'At the end give the answer alone within <answer>',
  'the exact answer alone stands in',
  'Of each page you see the title',
  'Stop behind each "Intermediate answer:"',
  'Passages may come between your sentences.',
  'While thinking you may search for facts',
  'Search again where something is missing',
  'Where the question asks for a description',
  'Write [yes] behind a question',
  'is no number, sign or function',
  'stands behind the end',
  // Text of recorded events.
  '`<${open}> behind a search`',
  '`goes on behind ${best.passage.title}`',
  "'goes on without'",
  // Sentences and words of the built-in world.
  'degree delivered delivery',
  'stands on the soil of',
  "'stands on the {o}'",
  // A key of stored evaluations and of `lab recipes --json`.
  'departures: about',
  'system.departures',
  'departures?: readonly string[]',
  // The idioms of `check-words.ts` itself.
  'was|were|be) told',
  'begins?|began|made)',
];
