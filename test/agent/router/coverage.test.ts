import { expect, it } from 'vitest';
import { coverageOf } from '../../../src/agent/router/coverage.ts';

it('coverage is the share of the query’s names that local titles hold', () => {
  const coverage = coverageOf([{ title: 'Old Wolf' }, { title: 'Career of Victor Kerlund' }]);
  expect(coverage('author of Old Wolf')).toBe(1);
  expect(coverage('employer of Victor Kerlund')).toBe(1);
  expect(coverage('employer of Ann')).toBe(0);
  expect(coverage('Old Wolf or Ann')).toBe(0.5);
  expect(coverage('some words')).toBe(0.5);
});
