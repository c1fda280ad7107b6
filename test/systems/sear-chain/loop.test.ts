import { describe, expect, it } from 'vitest';
import { corrects, readChain, readerSees } from '../../../src/systems/sear-chain/loop.ts';

describe('SearChain', () => {
  const at = { threshold: 1.5 };

  it('corrects where the reader is sure and says something else', () => {
    expect(corrects({ answer: '1905', score: 2.1 }, '1907', at)).toBe(true);
    expect(corrects({ answer: '1907', score: 2.1 }, 'in 1907', at)).toBe(false);
    expect(corrects({ answer: '1905', score: 1.2 }, '1907', at)).toBe(false);
    expect(corrects({ answer: '19', score: 2.1 }, '1907', at)).toBe(true);
  });

  it('reads a chain in its own format', () => {
    const text =
      'Sure.\n[Query 1]: Who wrote K?\n[Answer 1]: M\n[Unsolved Query]: Where was M born?\n[Final Content]: not known [1]';
    expect(readChain(text)).toEqual({
      nodes: [
        { query: 'Who wrote K?', answer: 'M' },
        { query: 'Where was M born?', answer: null },
      ],
      final: 'not known [1]',
    });
    expect(readChain('no chain at all')).toEqual({ nodes: [], final: null });
  });
});

it('SearChain’s reader sees the first passage of a result, or the last where it is to be wrong', () => {
  expect(readerSees(['a', 'b', 'c'], {})).toEqual(['a']);
  expect(readerSees(['a', 'b', 'c'], { passage: 'last' })).toEqual(['c']);
  expect(readerSees([], { passage: 'last' })).toEqual([]);
});
