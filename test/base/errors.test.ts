import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issueOf, messageOf, oneLine, reasonOf } from '../../src/base/errors.ts';

const issueIn = (schema: z.ZodType, value: unknown, whole?: string): string => {
  const { error } = schema.safeParse(value);
  return error ? issueOf(error, whole) : 'no issue';
};

describe('what a schema found', () => {
  const schema = z.object({ counts: z.object({ local: z.number() }) });

  it('is said with the place where it is', () => {
    expect(issueIn(schema, { counts: { local: 'x' } })).toMatch(
      /^counts\.local: .*expected number/,
    );
    expect(issueIn(schema, { counts: {} })).toMatch(
      /^counts\.local: .*expected number.*found none/,
    );
    expect(issueIn(schema, 3, 'the header')).toMatch(/^the header: .*expected object/);
    expect(issueIn(schema, 3)).toMatch(/^Invalid input: expected object/);
  });

  it('stays one line, however the file is damaged', () => {
    const name = `a\n${'x'.repeat(500)}`;
    const issue = issueIn(z.record(z.string(), z.number()), { [name]: 'no' });
    expect(issue).not.toContain('\n');
    expect(issue.length).toBeLessThan(700);
    expect(oneLine('a\u2028b\tc')).toBe('a b c');
    expect(oneLine('abcdef', 3)).toBe('abc…');
  });
});

it('what was thrown is said by its message, or as it is', () => {
  expect(messageOf(new RangeError('too far'))).toBe('too far');
  expect(messageOf('stop')).toBe('stop');
  expect(messageOf(undefined)).toBe('undefined');
});

it('the reason of an abort is always an error', () => {
  const own = new Error('closed');
  expect(reasonOf(AbortSignal.abort(own))).toBe(own);
  expect(reasonOf(AbortSignal.abort('text'))).toEqual(new Error('aborted'));
  expect(reasonOf(undefined)).toEqual(new Error('aborted'));
});
