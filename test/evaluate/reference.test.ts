import { describe, expect, it } from 'vitest';
import { armResult, referenceTable, type ArmResult } from '../../src/evaluate/reference.ts';
import type { ChainStep } from '../../src/records/records.ts';
import type { Rollout } from '../../src/records/rollout.ts';
import { policySegment, readSegment, scored } from '../fixtures/rollouts.ts';

const group = (name: string, n: number, em: number): ArmResult['all'] => ({
  name,
  n,
  em,
  interval: [0, 1],
  f1: em,
  searches: 1.25,
  formatValid: 0.975,
  read: 0.5,
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
        '| all values read, % | | 50.0 | 50.0 |',
        '| format, % | | 97.5 | 97.5 |',
        '| searches | | 1.25 | 1.25 |',
      ].join('\n'),
    );
  });
});

const step = (object: string): ChainStep => ({
  subject: 's',
  relation: 'r',
  object,
  title: 't',
  passageId: 'p',
  query: 'q',
});
/** A rollout whose result holds all there is to know, whatever the policy makes of it. */
const reading = (objects: string[], thought: string, em: number): Rollout => {
  const one = scored('q', objects.length, { em });
  return {
    ...one,
    question: { ...one.question, chain: objects.map(step) },
    segments: [
      { ...readSegment([1]), text: `<result> ${objects.join(' . ')} </result>` },
      { ...policySegment([2]), text: thought },
    ],
  };
};

describe('the results of an arm', () => {
  it('tell what was read from what was made of it: values count where the policy writes them', () => {
    const { all, byHops } = armResult('gold found', [
      reading(['Kardra River', 'Harmina River'], ' kardra river . harmina river . same is yes', 0),
      reading(['Ivory Harbor (2009), Wild Star'], ' Wild Star , Ivory Harbor .', 1),
      reading(['Ivory Harbor (2009), Wild Star'], ' Wild Star .', 1),
      reading(['1948'], ' 19480 .', 0),
      scored('nothing to read', 0, { em: 1 }),
    ]);
    expect(all.read).toBe(0.5);
    expect(byHops.map(({ name, n, read }) => [name, n, read])).toEqual([
      ['0', 1, null],
      ['1', 3, 1 / 3],
      ['2', 1, 1],
    ]);
  });

  it("have Wilson's interval: of one in two 0.5 ± 0.405, worked by hand", () => {
    const { em, interval } = armResult('x', [reading(['a b'], '', 1), reading(['a b'], '', 0)]).all;
    expect(em).toBe(0.5);
    expect(interval[0]).toBeCloseTo(0.0945, 3);
    expect(interval[1]).toBeCloseTo(0.9055, 3);
  });
});
