import { expect, it } from 'vitest';
import { ALL_TESTS } from '../slow/slow.ts';
import { SUBJECTS } from './index.ts';
import { cpuMs } from './subjects/cost.ts';
import { faultOfMessage, fuzz, subject } from './subjects/subject.ts';

/** Some cases of each parser; `npx tsx scripts/fuzz.ts` runs 10,000, and looks at memory. */

it.each(SUBJECTS.map((of) => [of.name, of] as const))(
  '%s: read, or refused in words for people, soon',
  async (_name, of) => {
    const cases = ALL_TESTS ? of.unit : Math.ceil(of.unit / 3);
    const { accepted, rejected } = await fuzz(of, cases);
    expect(accepted + rejected).toBe(cases);
    // Damage shows; a subject that takes everything would prove nothing.
    expect(rejected).toBeGreaterThan(cases / 4);
  },
);

it('finds what a parser may not do', async () => {
  const broken = (read: () => void) =>
    fuzz(subject<null>({ name: 'x', unit: 1, make: () => null, read, refuses: isOwn }), 1);
  class Own extends Error {}
  const isOwn = (error: unknown): boolean => error instanceof Own;
  await expect(broken(() => void (null as unknown as string).length)).rejects.toThrow(/TypeError/);
  await expect(broken(() => fail(new Own('x: undefined')))).rejects.toThrow(/undefined/);
  await expect(broken(() => fail(new Own('a\u0000b')))).rejects.toThrow(/control/);
  const busy = (): void => {
    for (const start = cpuMs(); cpuMs() - start < 1050;);
  };
  await expect(broken(busy)).rejects.toThrow(/it took \d+ ms/);
  await expect(broken(() => fail(new Own('line 3: expected a number')))).resolves.toMatchObject({
    rejected: 1,
  });
  expect(faultOfMessage('')).not.toBeNull();
});

const fail = (error: Error): never => {
  throw error;
};
