import { expect, it } from 'vitest';
import { keptFacts, type PolicyFacts } from '../../../../src/lab/models/serving/policy-facts.ts';

it('facts of a policy are asked for once, and again only where they could not be had', async () => {
  const asked: number[] = [];
  let fails = true;
  const facts = keptFacts((form: number) => {
    asked.push(form);
    return fails
      ? Promise.reject(new Error('the server is away'))
      : Promise.resolve({ id: `form ${form}` } as PolicyFacts);
  });
  await expect(facts(2)).rejects.toThrow('the server is away');
  fails = false;
  expect([await facts(2), await facts(2), await facts(1)].map(({ id }) => id)).toEqual([
    'form 2',
    'form 2',
    'form 1',
  ]);
  expect(asked).toEqual([2, 2, 1]);
});
