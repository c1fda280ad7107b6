import { expect, test } from 'vitest';
import { slow } from './slow.ts';

test('a slow test names quicker ones that there are, and that always run', () => {
  expect(() =>
    slow(
      'test/slow/slow.test.ts > a slow test names quicker ones that there are, and that always run',
    ),
  ).not.toThrow();
  expect(() => slow('test/slow/slow.test.ts > nobody')).toThrow(
    'no test is named “test/slow/slow.test.ts > nobody”',
  );
  expect(() => slow('test/nobody.test.ts > a test')).toThrow('no test is named');
  expect(() => slow('test/slow/slow.test.ts > left out')).toThrow(
    'is itself left out of a quick run',
  );
});

slow('test/slow/slow.test.ts > a slow test names quicker ones that there are, and that always run')(
  'left out',
  () => {
    expect(process.env['FORAGE_TESTS']).toBe('all');
  },
);
