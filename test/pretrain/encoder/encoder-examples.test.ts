import { describe, expect, it } from 'vitest';
import { drawExamples, toBatch } from '../../../src/pretrain/encoder/examples.ts';

const characters = (text: string): number[] => Array.from(text, (c) => c.charCodeAt(0) % 50);

describe('examples that train the encoder', () => {
  const examples = drawExamples(5, 3);

  it('depend on seed and index alone', () => {
    expect(drawExamples(5, 3)).toEqual(examples);
    expect(drawExamples(5, 4)).not.toEqual(examples);
    expect(drawExamples(6, 3)).not.toEqual(examples);
  });

  it('pair a query with a clean passage and with another page', () => {
    expect(examples).toHaveLength(96);
    for (const { positive, hardNegative } of examples) {
      expect(positive.noise).toBeUndefined();
      expect(hardNegative.title).not.toBe(positive.title);
    }
  });

  it('use no other wording of a positive as a negative', () => {
    const { ignore, queries, passages } = toBatch(examples, characters);
    expect([queries.rows, passages.rows]).toEqual([96, 192]);
    const all = [...examples.map((e) => e.positive), ...examples.map((e) => e.hardNegative)];
    examples.forEach(({ positive }, row) =>
      all.forEach(({ title, noise }, column) => {
        const twin = title === positive.title && noise === undefined && column !== row;
        expect(ignore[row * 192 + column]).toBe(twin ? 1 : 0);
      }),
    );
  });
});
