import { expect, it } from 'vitest';
import { splitQueries } from '../../../src/records/protocol.ts';

it('a rewrite is cut at semicolons', () => {
  expect(splitQueries(' author of K ; born of M ;; third', 2)).toEqual([
    'author of K',
    'born of M',
  ]);
});
