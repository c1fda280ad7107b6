/**
 * Short thoughts of demonstrations. They say only what they are given, and the same thing always in the same words: a
 * small model that has few updates learns what to say rather than which of several wordings to use.
 */

/** What is looked up: a sub-question, a relation of a subject, or a page. */
export type Wanted =
  | { kind: 'question'; text: string }
  | { kind: 'relation'; subject: string; relation: string }
  | { kind: 'title'; title: string };

function wantedText(wanted: Wanted): string {
  switch (wanted.kind) {
    case 'question':
      return `find out: ${wanted.text}?`;
    case 'relation':
      return `find out: ${wanted.subject}, ${wanted.relation}.`;
    case 'title':
      return `look up ${wanted.title}.`;
  }
}

export const openingThought = (next: Wanted): string => `First, ${wantedText(next)}`;

/** @param values that were read since the last thought */
export const nextThought = (values: readonly string[], next: Wanted): string =>
  [...values.map(sentence), `Next, ${wantedText(next)}`].join(' ');

/** @param facts that the answer follows from, in the order in which they were read */
export const answerThought = (facts: readonly string[], answer: string): string =>
  [
    ...(facts.length > 0 ? [sentence(facts.join('; '))] : []),
    `So the answer is ${sentence(answer)}`,
  ].join(' ');

/** With a full stop, where it has none. */
const sentence = (text: string): string => (/[.?!]$/u.test(text) ? text : `${text}.`);
