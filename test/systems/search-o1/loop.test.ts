import { expect, it } from 'vitest';
import { run } from '../../agent/helpers.ts';

it('as released gives a notice for a repeated query, which is not counted', async () => {
  const query = `<think> who wrote it .</think><search> author of Old Wolf</search>`;
  const done = '<think> done .</think><short_answer> \\boxed{ Borfield }</short_answer>';
  const asked = async (system: { repeats?: 'notice' }) => {
    const { rollout } = await run(
      { main: [query, query, done] },
      { recipe: 'search-o1', overrides: { system } },
    );
    const results = rollout.segments.filter(({ role }) => role === 'result');
    const hint = rollout.segments.find(({ role }) => role === 'hint')?.text ?? null;
    return { searches: rollout.metrics?.searches, results: results.length, hint };
  };
  expect(await asked({ repeats: 'notice' })).toEqual({
    searches: 1,
    results: 1,
    hint: expect.stringContaining('this search was made before') as string,
  });
  expect(await asked({})).toEqual({ searches: 2, results: 2, hint: null });
});
