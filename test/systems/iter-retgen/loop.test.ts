import { expect, it } from 'vitest';
import { questionAndDraft } from '../../../src/systems/iter-retgen/loop.ts';

it('Iter-RetGen joins question and last generation; an empty one changes nothing', () => {
  expect(questionAndDraft('Q', 'M')).toBe('Q M');
  expect(questionAndDraft('Q', ' ')).toBe('Q');
});
