import type { Random } from '../../base/random.ts';

/** Short thoughts of demonstrations, in varied words. They say only what they are given. */

/** What is looked up: a sub-question, a relation of a subject, or a page. */
export type Wanted =
  | { kind: 'question'; text: string }
  | { kind: 'relation'; subject: string; relation: string }
  | { kind: 'title'; title: string };

function wantedText(random: Random, wanted: Wanted): string {
  switch (wanted.kind) {
    case 'question':
      return `${random.pick(['find out', 'I need to know', 'ask', 'search'])}: ${wanted.text}?`;
    case 'relation':
      return random.pick([
        `find out: ${wanted.subject}, ${wanted.relation}.`,
        `look up ${wanted.subject}: ${wanted.relation}.`,
        `I need this of ${wanted.subject}: ${wanted.relation}.`,
      ]);
    case 'title':
      return random.pick([
        `look up ${wanted.title}.`,
        `search for ${wanted.title}.`,
        `I need the facts on ${wanted.title}.`,
        `find ${wanted.title}.`,
      ]);
  }
}

const upper = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

export const openingThought = (random: Random, next: Wanted): string =>
  upper(`${random.pick(['First, ', 'To begin, ', 'Start: ', ''])}${wantedText(random, next)}`);

const then = (random: Random, next: Wanted): string =>
  upper(`${random.pick(['Next, ', 'Now, ', 'Then, ', ''])}${wantedText(random, next)}`);

/** Values that were read. */
const found = (random: Random, values: readonly string[]): string => {
  const list = values.join(', then ');
  return random.pick([
    `The passage says ${list}.`,
    `It is ${list}.`,
    `Found: ${list}.`,
    `${upper(list)}.`,
  ]);
};

export const foundThought = (random: Random, values: readonly string[], next: Wanted): string =>
  `${found(random, values)} ${then(random, next)}`;

/** @param bridged the next page is named by a passage and not by the question */
export function bridgeThought(random: Random, bridged: boolean, next: Wanted): string {
  if (!bridged || next.kind !== 'title') return then(random, next);
  const { title } = next;
  return `${random.pick([`The passage names ${title}.`, `It leads to ${title}.`, `That is ${title}.`])} ${then(random, next)}`;
}

/** The answer with a full stop, where it has none. */
const verdict = (random: Random, answer: string): string =>
  `${random.pick(['So the answer is', 'The answer is', 'That gives', 'I can answer now:'])} ${answer}${/[.?!]$/u.test(answer) ? '' : '.'}`;

export const answerThought = (random: Random, values: readonly string[], answer: string): string =>
  `${values.length > 0 ? `${found(random, values)} ` : ''}${verdict(random, answer)}`;

/** @param lines what is compared, each with its date */
export const comparedThought = (random: Random, lines: readonly string[], answer: string): string =>
  `${lines.join('. ')}. ${verdict(random, answer)}`;
