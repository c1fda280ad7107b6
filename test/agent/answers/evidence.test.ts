import { describe, expect, it } from 'vitest';
import { Evidence, isMiss, namesIn } from '../../../src/agent/answers/evidence.ts';
import type { Hit } from '../../../src/records/hits.ts';
import { LOCAL, WEB } from '../helpers.ts';

const hits = (...ids: string[]): Hit[] =>
  [...LOCAL, ...WEB]
    .filter((passage) => ids.includes(passage.id))
    .map((passage) => ({ passage, score: 1, source: 'local' }));

describe('what passages bring', () => {
  it('reads names as runs of capitals, without the word that opens the sentence', () => {
    expect(namesIn('The film Old Wolf was made by Maria Cordine in Borfield.')).toEqual([
      'old wolf',
      'maria cordine',
      'borfield',
    ]);
    expect(namesIn('Who is Ann?')).toEqual(['ann']);
  });

  it('counts new names, numbers and sentences once', () => {
    const evidence = new Evidence('Who?', ['Old Wolf', 'Victor Kerlund']);
    // old wolf, victor kerlund, 1931 in two sentences
    expect(evidence.observe(hits('l0'))).toEqual({
      newSupporting: ['Old Wolf'],
      duplicates: [],
      newEntities: 3,
      newFacts: 2,
    });
    // borfield and 1901 are new, the rest is known
    expect(evidence.observe(hits('l0', 'l1'))).toEqual({
      newSupporting: ['Victor Kerlund'],
      duplicates: ['l0'],
      newEntities: 2,
      newFacts: 1,
    });
    expect(evidence.observe([])).toMatchObject({ newEntities: 0, newFacts: 0 });
  });

  it('supports an answer that stands in a passage as whole words', () => {
    const evidence = new Evidence('Who?', []);
    evidence.observe(hits('l1'));
    expect(evidence.supports('the Borfield')).toBe(true);
    expect(evidence.supports('Bor')).toBe(false);
    expect(evidence.supports('')).toBe(false);
    expect(evidence.supports('no')).toBe(false);
  });

  it('never supports yes, no and nothing: those words stand in passages for other reasons', () => {
    const evidence = new Evidence('Was it so?', []);
    const text = 'Yes, it was. No, it was not.';
    const passage = { id: 'x', title: '', text, sentences: ['Yes, it was.', 'No, it was not.'] };
    evidence.observe([{ passage, score: 1, source: 'local' }]);
    expect(evidence.supports('it was not')).toBe(true);
    for (const answer of ['yes', 'No.', ' ', 'the'])
      expect([answer, evidence.supports(answer)]).toEqual([answer, false]);
  });

  it('calls a search a miss where no passage holds a name of the query', () => {
    expect(isMiss('employer of Victor Kerlund', hits('w1'))).toBe(true);
    expect(isMiss('employer of Victor Kerlund', hits('w0'))).toBe(false);
    expect(isMiss('founding year of Victor', hits())).toBe(true);
    expect(isMiss('some words', hits('w1'))).toBe(false);
  });
});
