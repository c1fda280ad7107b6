import { expect, it } from 'vitest';
import { leftOf } from '../../../../src/ui/kit/words/TimeLeft.tsx';

it('says how long is left at the pace since something was first seen, once that says something', () => {
  const begun = { of: 'encoding', at: 1000, share: 0.2 };
  // A tenth in two seconds: seven more are fourteen.
  expect(leftOf(begun, 3000, 0.3)).toBeCloseTo(14);
  expect(leftOf(begun, 9000, 1)).toBe(0);
  expect(leftOf(begun, 2000, 0.3)).toBeNull();
  expect(leftOf(begun, 9000, 0.2)).toBeNull();
});
