import { describe, expect, it } from 'vitest';
import type { Passage, Question } from '../../src/records/records.ts';
import { contextText, eventsOf, retrieverOver, run } from './helpers.ts';

/**
 * RDRA by hand, equations (1)–(4). Four passages over which the lexical ranks are plain to see:
 * the question's words are in A and B, the thought's in C, the query's in D.
 */
const passage = (id: string, title: string, text: string): Passage => ({
  id,
  title,
  text,
  sentences: [text],
});
const PASSAGES = [
  passage('a', 'Golden Otter', 'Golden Otter was painted in Nimvale.'),
  passage('b', 'Golden Heron', 'Golden Heron was drawn.'),
  passage('c', 'Museum', 'A museum lists each painter.'),
  passage('d', 'Ulla Brandt', 'Ulla Brandt taught sculpture.'),
];
const QUESTION: Question = {
  id: 'x',
  text: 'Golden Otter or Golden Heron ?',
  answers: ['Golden Otter'],
  supporting: ['Golden Otter', 'Golden Heron', 'Ulla Brandt'],
};
const THINK = '<think> museum painter</think>';
const SEARCH = '<search> Ulla Brandt sculpture</search>';
const ANSWER = '<think> done</think><short_answer> \\boxed{ Golden Otter }</short_answer>';

const ran = async (secondStage: 'intention' | 'thought', mode: 'shown' | 'shown-and-used-by-T') => {
  const main = mode === 'shown' ? [SEARCH, ANSWER] : [THINK + SEARCH, ANSWER];
  const { rollout, policy } = await run(
    { main, ...(mode === 'shown' ? { thought: THINK } : {}) },
    {
      recipe: 'search',
      question: QUESTION,
      retriever: retrieverOver(PASSAGES, []),
      overrides: {
        background: { mode, k: 2, source: 'local', secondStage },
        retrieval: { k: 1, source: 'local' },
      },
    },
  );
  return { rollout, policy };
};

describe('RDRA by hand', () => {
  it('(1): D0 is the two passages nearest to x, with their relevance', async () => {
    const { rollout } = await ran('intention', 'shown-and-used-by-T');
    const [event] = eventsOf(rollout, 'background');
    expect(event?.query).toBe(QUESTION.text);
    expect(event?.hits.map((hit) => hit.passage.id).toSorted()).toEqual(['a', 'b']);
    // two of three supporting titles
    expect(event?.relevance.supportingRecall).toBeCloseTo(2 / 3, 12);
    expect(rollout.segments[event?.segment ?? -1]?.role).toBe('background');
  });

  it.each([
    [[], null],
    [['Golden Otter'], 1],
    [['Museum'], 0],
  ])('with the supporting titles %j the recall of D0 is %j', async (supporting, recall) => {
    const { rollout } = await run(
      { main: [ANSWER] },
      {
        recipe: 'search',
        question: { ...QUESTION, supporting },
        retriever: retrieverOver(PASSAGES, []),
        overrides: { background: { mode: 'shown-and-used-by-T', k: 2, source: 'local' } },
      },
    );
    expect(eventsOf(rollout, 'background')[0]?.relevance.supportingRecall).toBe(recall);
  });

  it('(2): t is T(x, D0), the first thought behind background and question', async () => {
    const { rollout } = await ran('intention', 'shown-and-used-by-T');
    const [think] = eventsOf(rollout, 'think');
    expect(think).toMatchObject({ text: 'museum painter', phase: 'alignment', segment: 2 });
    expect(rollout.segments[2]?.text).toBe(THINK);
  });

  it('(3): D is nearest to t, not to x: by its intention, or by its own words', async () => {
    const intention = await ran('intention', 'shown-and-used-by-T');
    const thought = await ran('thought', 'shown-and-used-by-T');
    const found = ({ rollout }: typeof thought): string[] =>
      eventsOf(rollout, 'retrieve').flatMap((event) => event.hits.map((hit) => hit.passage.id));
    expect(found(intention)).toEqual(['d']);
    expect(found(thought)).toEqual(['c']);
  });

  it.each(['shown', 'shown-and-used-by-T'] as const)(
    '(4), %s: the answer is written behind x, t and D',
    async (mode) => {
      const { rollout } = await ran('intention', mode);
      const text = contextText(rollout);
      const background = text.slice(0, text.indexOf('<question>'));
      expect(background).toMatch(/^<background>.*<\/background>$/s);
      expect(text.slice(background.length)).toBe(
        `<question> ${QUESTION.text}</question>${THINK}${SEARCH}` +
          `<result> Ulla Brandt : Ulla Brandt taught sculpture.</result>${ANSWER}`,
      );
    },
  );

  it('a background that found nothing points at no segment', async () => {
    const { rollout } = await run(
      { main: [ANSWER] },
      {
        question: QUESTION,
        retriever: retrieverOver([], []),
        overrides: { background: { mode: 'shown-and-used-by-T', source: 'local' } },
      },
    );
    const [event] = eventsOf(rollout, 'background');
    expect(event?.hits).toEqual([]);
    expect(event?.segment).toBeUndefined();
    expect(rollout.segments[0]?.role).toBe('question');
  });
});
