import { z } from 'zod';
import { expect, it } from 'vitest';
import { namesASystem, reach, settingsIn } from '../../scripts/checks/house.ts';

/** What the numbers of `npm run house` count. */

it('counts the files that an entry reaches by values, in a circle too, and not by types', () => {
  const texts = {
    'a.ts': "import { b } from './b.ts';\nimport type { T } from './types.ts';\n",
    'b.ts': "export { c } from './sub/c.ts';\n",
    'sub/c.ts': "import { a } from '../a.ts';\nimport { z } from 'zod';\n",
    'types.ts': '',
    'other.ts': '',
  };
  const files = new Map(Object.entries(texts).map(([path, text]) => [path, { path, text }]));
  const found = reach('a.ts', files).map(({ path }) => path);
  expect(found.toSorted()).toEqual(['a.ts', 'b.ts', 'sub/c.ts']);
  expect(reach('none.ts', files)).toEqual([]);
});

it('counts the values that can be set, a choice of several shapes as its largest', () => {
  const schema = z.strictObject({
    one: z.number().optional(),
    group: z.strictObject({ two: z.string().default('x'), three: z.enum(['a', 'b']).nullable() }),
    several: z.union([z.literal('off'), z.strictObject({ four: z.number(), five: z.number() })]),
    each: z.array(z.strictObject({ six: z.number() })),
  });
  expect(settingsIn(schema)).toBe(6);
});

it('finds systems that code names, and not those that a comment does', () => {
  const names = (text: string): boolean => namesASystem(text, ['search-r1', 'ur2']);
  expect(names("if (id === 'search-r1') run();")).toBe(true);
  expect(names("import { ur2 } from '../agents/ur2.ts';")).toBe(true);
  expect(names('/** As search-r1 does. */\nrun(); // "ur2"\n')).toBe(false);
  expect(names("run('search-r1-ppo-steps');")).toBe(false);
});
