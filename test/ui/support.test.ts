import { describe, expect, it } from 'vitest';
import { findSpans, firstSeen, markSentences } from '../../src/ui/kit/events/parts/support.ts';
import { hit, passage, retrieve, search } from '../fixtures/rollouts.ts';

const kerlund = passage(
  'l1',
  'Victor Kerlund',
  'Victor Kerlund was born in Borfield in 1901.',
  'He likes Borfields and Old Borfield.',
);
const gold = { supporting: ['Victor Kerlund'], answers: ['Borfield'] };

describe('marking sentences', () => {
  it('finds whole words only, whatever their case', () => {
    expect(findSpans('borfield, Borfields, BORFIELD', 'Borfield')).toEqual([
      [0, 8],
      [21, 29],
    ]);
    expect(findSpans('anything', ' ')).toEqual([]);
  });

  it('calls the sentences that hold the answer support, in supporting passages only', () => {
    expect(markSentences(kerlund, gold, null).map((s) => s.supports)).toEqual([true, true]);
    const other = passage('l2', 'Borfield', 'Borfield is a city.');
    expect(markSentences(other, gold, null)[0]).toMatchObject({ supports: false, spans: [[0, 8]] });
  });

  it('marks the object of the gold step that a passage states, not the final answer', () => {
    const chain = [
      {
        subject: 'Victor Kerlund',
        relation: 'born',
        object: '1901',
        title: 'Victor Kerlund',
        passageId: 'l1',
        query: '',
      },
    ];
    const [first, second] = markSentences(kerlund, { ...gold, chain }, null);
    expect(first).toMatchObject({ supports: true, spans: [[39, 43]] });
    expect(second).toMatchObject({ supports: false, spans: [] });
  });

  it('never calls known noise support', () => {
    const stale = { ...kerlund, noise: 'stale' as const };
    expect(markSentences(stale, gold, null).some((s) => s.supports)).toBe(false);
  });

  it('marks the answer given where no gold is known, and calls nothing support', () => {
    expect(markSentences(kerlund, null, 'Borfield')[0]).toMatchObject({
      supports: false,
      spans: [[27, 35]],
    });
    expect(markSentences(passage('x', 'X', 'No way.'), null, 'no')[0]?.spans).toEqual([]);
  });
});

describe('passages seen before', () => {
  it('remembers event and search of the first time', () => {
    const seen = firstSeen([
      search(1),
      retrieve([hit(kerlund)]),
      search(2),
      retrieve([hit(kerlund)]),
    ]);
    expect(seen.get('l1')).toEqual({ event: 1, search: 1 });
  });
});
