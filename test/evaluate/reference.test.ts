import { describe, expect, it } from 'vitest';
import { referenceTable, type ArmResult } from '../../src/evaluate/reference.ts';

const group = (name: string, n: number, em: number) => ({
  name,
  n,
  em,
  f1: em,
  searches: 1.25,
  formatValid: 0.975,
});
const arm = (name: string, em: number): ArmResult => ({
  arm: name,
  all: group('all', 4, em),
  byHops: [group('0', 1, 0), group('2', 3, em)],
  byType: [group('bridge', 4, em)],
});

describe('the table of a reference', () => {
  it('has an arm a column and groups as rows', () => {
    expect(referenceTable([arm('naive RAG', 0.25), arm('plain search', 0.5)])).toBe(
      [
        '| EM, % | n | naive RAG | plain search |',
        '| --- | ---: | ---: | ---: |',
        '| all | 4 | 25.0 | 50.0 |',
        '| no hop | 1 | 0.0 | 0.0 |',
        '| 2 hops | 3 | 25.0 | 50.0 |',
        '| bridge | 4 | 25.0 | 50.0 |',
        '| format, % | | 97.5 | 97.5 |',
        '| searches | | 1.25 | 1.25 |',
      ].join('\n'),
    );
  });
});
