import { describe, expect, it } from 'vitest';
import {
  DEFAULT_ADDRESS,
  formatEvaluateAddress,
  MOST_SIDE_BY_SIDE,
  parseEvaluateAddress,
  type EvaluateAddress,
} from '../../../src/ui/evaluate/store/evaluate-address.ts';
import { formatSeeds, parseSeeds } from '../../../src/ui/evaluate/chooser/SamplingFields.tsx';

const searchOf = (path: string): string => path.slice(Math.max(0, path.indexOf('?')));

describe('the address of an evaluation', () => {
  it('restores every choice', () => {
    const address: EvaluateAddress = {
      view: 'questions',
      reference: 'search · built-in',
      by: 'hops',
      sort: { measure: 'tokens', descending: true },
      quality: 'f1',
      cost: 'tokens',
      question: 'seed7/q & 1',
      systems: ['a,b', 'c=d'],
      lost: 2,
      other: 'e2',
    };
    const path = formatEvaluateAddress('e 1', address);
    expect(path.startsWith('/evaluate/e%201?')).toBe(true);
    expect(parseEvaluateAddress(searchOf(path))).toEqual(address);
  });

  it('is bare where nothing was chosen', () => {
    expect(formatEvaluateAddress('e1')).toBe('/evaluate/e1');
    expect(parseEvaluateAddress('')).toEqual(DEFAULT_ADDRESS);
  });

  it('leaves what it cannot mean at its default', () => {
    const raw = `view=constructor&by=x&sort=-toString&quality=em2&ref=${'x'.repeat(300)}&lost=0`;
    expect(parseEvaluateAddress(raw)).toEqual(DEFAULT_ADDRESS);
    const many = Array.from({ length: 20 }, (_, i) => `s=${i}`).join('&');
    expect(parseEvaluateAddress(many).systems).toHaveLength(MOST_SIDE_BY_SIDE);
  });
});

describe('seeds as they are written', () => {
  it.each([
    ['1', [1]],
    ['3, 1;2', [1, 2, 3]],
    ['5-8', [5, 6, 7, 8]],
    ['7 7 7', [7]],
  ])('%s', (text, seeds) => {
    expect(parseSeeds(text)).toEqual(seeds);
  });

  it.each(['', 'x', '1.5', '-1', '4-2', '1-1000', '99999999999'])('are not “%s”', (text) => {
    expect(parseSeeds(text)).toBeNull();
  });

  it('are written back shorter', () => {
    expect(formatSeeds([1, 2, 5, 6, 7, 9])).toBe('1, 2, 5-7, 9');
  });
});
