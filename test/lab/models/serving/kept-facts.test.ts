import { expect, it } from 'vitest';
import { cachedFacts, type PolicyFacts } from '../../../../src/lab/models/serving/policy-facts.ts';

it('facts of the policy are loaded once, and again only after a failure', async () => {
  let asked = 0;
  let fails = true;
  const facts = cachedFacts(() => {
    asked++;
    return fails
      ? Promise.reject(new Error('the server is away'))
      : Promise.resolve({ id: 'baize' } as PolicyFacts);
  });
  await expect(facts()).rejects.toThrow('the server is away');
  fails = false;
  expect([await facts(), await facts()].map(({ id }) => id)).toEqual(['baize', 'baize']);
  expect(asked).toBe(2);
});
