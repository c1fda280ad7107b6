import { expect, it } from 'vitest';
import { joined } from '../../src/base/bytes.ts';

it('parts one after another are one array', () => {
  expect(joined([])).toEqual(new Uint8Array());
  expect(joined([Uint8Array.of(1), new Uint8Array(), Uint8Array.of(2, 3)])).toEqual(
    Uint8Array.of(1, 2, 3),
  );
});
