import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitted } from '../../../../src/ui/kit/charts/fitted.ts';

it('a text that does not fit is cut to its width and says so', () => {
  expect(fitted('Ida Holm', 200)).toBe('Ida Holm');
  expect(fitted('birth city of Ida Holm', 64)).toBe('birth cit…');
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), fc.integer({ min: 40, max: 300 }), (text, width) => {
      const shown = fitted(text, width);
      expect(shown.length * 6.4).toBeLessThanOrEqual(width);
      expect(shown === text || shown.endsWith('…')).toBe(true);
    }),
  );
});
