import { describe, expect, it } from 'vitest';
import { memoriesFor } from '../../../src/systems/memory-r1/reward.ts';
import { banksOf } from '../../../src/systems/memory-r1/bank.ts';

const bank = [
  'river of Ostmark is Lune',
  'home of Ada is Bergen',
  'editor of Veldor is Kerr',
  'mother of Ada is Ina',
  'capital of Peru is Lima',
  'home of Otto is Rome',
].join(' . ');
const read = (question: string, most: number): string[] =>
  memoriesFor(question, bank, most).map(({ text }) => text);

describe('what is read of a memory', () => {
  it('is what is most like the question, then what was written last, four facts at most', () => {
    expect(read('Where is the home of Ada?', 1)).toEqual(['home of Ada is Bergen']);
    const four = read('Where is the home of Ada?', 4);
    expect(four).toHaveLength(4);
    expect(four.slice(1, 3).toSorted()).toEqual(['home of Otto is Rome', 'mother of Ada is Ina']);
    expect(read('Which river?', 3)).toEqual([
      'river of Ostmark is Lune',
      'home of Otto is Rome',
      'capital of Peru is Lima',
    ]);
    expect(memoriesFor('Which river?', '', 4)).toEqual([]);
  });

  it('is of sixteen facts at most: of seventeen the first is forgotten, and an update keeps its place', () => {
    const fact = (i: number): string => `home of P${i} is ${i}`;
    const blocks = Array.from({ length: 17 }, (_, i) => ({
      kind: 'memory',
      text: `add ${fact(i)}`,
    }));
    const last = (all: typeof blocks, cap?: number): string[] =>
      (banksOf(all, cap).at(-1) ?? '').split(' . ');
    expect(last(blocks)).toHaveLength(17);
    expect(last(blocks, 16)).toEqual(Array.from({ length: 16 }, (_, i) => fact(i + 1)));
    const updated = last([...blocks, { kind: 'memory', text: 'update home of P1 is 99' }], 16);
    expect([updated.length, updated[0]]).toEqual([16, 'home of P1 is 99']);
  });
});
