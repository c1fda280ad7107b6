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
  ])('%j', (query) => {
    expect(classifyQuery(query)).toEqual({ kind: 'knowledge', reason: 'it asks for a fact' });
  });
});
