import { expect, it } from 'vitest';
import { retryAfterMs } from '../../src/base/retry-after.ts';

const SECOND = 1000;

it.each([
  [null, null],
  ['', null],
  ['0', 0],
  ['3', 3000],
  ['12', 12_000],
  [' 12 ', 12_000],
  ['1.5', 1500],
  ['soon', null],
  ['-1', null],
  ['+5', null],
  ['0x10', null],
  ['99999999999', null],
  ['2026-01-01', null],
  ['Thu, 01 Jan 1970 00:00:10 GMT', 9000],
  ['Thursday, 01-Jan-70 00:00:10 GMT', 9000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['Wed, 31 Dec 1969 00:00:00 GMT', 0],
])('Retry-After %j, a second after 1970 began: %j ms', (header, ms) => {
  expect(retryAfterMs(header, SECOND)).toBe(ms);
});
