import { describe, expect, it } from 'vitest';
import { classifyQuery } from '../../../src/retrieval/summarize/classify.ts';

describe('a query that asks for reasoning', () => {
  it.each([
    ['Calculate the age of Ann', 'task'],
    ['please translate the sentence', 'task'],
    ["Let's compare and contrast both", 'task'],
    ['we need to decide', 'task'],
    ['How can I solve this', 'how to carry out'],
    ['How would one   compute it', 'how to carry out'],
    ['3 * 4', 'expression'],
    ['what is (2) + 7', 'expression'],
    ['x = 5', 'expression'],
    ['Which option is right', 'choice among options'],
    ['what alternatives are there', 'choice among options'],
    ['which of the following wrote it', 'does not see'],
    ['Who wrote it? a) Ann b) Bob', 'lists options'],
    ['what should I eat', 'advice'],
    ['how must one begin', 'advice'],
    // Whole questions of computation: they name nothing, and give all that is needed.
    [
      'A film came out in 1950 and its sequel 12 years later. In which year did the sequel come out?',
      'numbers of a computation',
    ],
    ['A company was founded in 1920 and sold in 1931. How many years lie between?', 'numbers'],
    ['One town has 4000 people and another has 300. How many live in both together?', 'numbers'],
    ['Which year is later, 1931 or 1942?', 'numbers'],
    ['57 plus 8', 'numbers of a computation'],
    ['How many years lie between the release of Old Wolf and that of Low Ash?', 'two facts'],
    ['How many people live in Borfield and Gilridge together?', 'two facts'],
    ['How many years after the birth of its director was Old Wolf released?', 'two facts'],
    ['Which river is longer, Gilssa River or Kovdra River?', 'comparison of two'],
    ['Of Alma Corcott and Edgar Kellund, who was born later?', 'comparison of two'],
    ['earlier', 'names nothing'],
    ['the sum of both', 'names nothing'],
    ['its director', 'does not see'],
    ['the former one', 'does not see'],
    ['What is the correct answer', 'the answer itself'],
    ['what would be the next step', 'the answer itself'],
  ])('%j: %s', (query, reason) => {
    const { kind, reason: given } = classifyQuery(query);
    expect(kind).toBe('reasoning');
    expect(given).toContain(reason);
  });
});

describe('a query that asks for a fact', () => {
  it.each([
    'Who wrote Old Wolf',
    'author of the plan',
    // A task further on in the text is no task given to the reader.
    'Who had to decide the case',
    // A word that begins like a task.
    'planet with the most moons',
    'writer of Old Wolf',
    // Names with a stroke compute nothing.
    'lead singer of AC/DC',
    'meaning of 24/7',
    'what happened on 11/9/1989',
    'How do birds find their way',
    'what is the capital of France',
    'Which city is larger',
    'C. S. Lewis',
    '',
    // A number or two in a question for a fact compute nothing.
    'population of Paris in 1990 and 2000',
    'What happened in Borfield in 1931',
    'birth year of Alma Corcott',
    'Which river is longer than the Rhine',
    'Their Finest Hour',
    'the first president of France',
  ])('%j', (query) => {
    expect(classifyQuery(query)).toEqual({ kind: 'knowledge', reason: 'it asks for a fact' });
  });
});
