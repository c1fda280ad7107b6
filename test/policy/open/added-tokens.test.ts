import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { expectLinear } from '../../fuzz/subjects/cost.ts';
import { z } from 'zod';
import { HuggingFaceTokenizer } from '../../../src/policy/open/tokenizer.ts';

const textSchema = z.object({ text: z.string(), ids: z.array(z.number()), decoded: z.string() });
const object = z.record(z.string(), z.unknown());
const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/** What Hugging Face's `tokenizers` gives: make_added.py. */
const cases = z
  .array(z.object({ name: z.string(), tokenizer: object, texts: z.array(textSchema) }))
  .parse(read(join(import.meta.dirname, '../../fixtures/tokenizer/added.json')));

function expectEqual(tokenizer: HuggingFaceTokenizer, texts: z.infer<typeof textSchema>[]): void {
  for (const { text, ids, decoded } of texts) {
    expect(tokenizer.encodeTemplate(text), text).toEqual(ids);
    expect(tokenizer.decode(ids), text).toBe(decoded);
  }
}

describe('added tokens are found and written as in tokenizers', () => {
  test.each(cases)('$name', ({ tokenizer, texts }) => {
    expectEqual(new HuggingFaceTokenizer(tokenizer, { eos_token: '<e>' }), texts);
  });

  const shared = join(import.meta.dirname, '../../../../shared/data/cases/22-tokenizers');
  const folders = existsSync(shared)
    ? readdirSync(shared, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    : [];
  test.skipIf(folders.length === 0)('those that reports of faults are about', () => {
    for (const { name } of folders) {
      const at = (file: string) => read(join(shared, name, file));
      const tokenizer = object.parse(at('tokenizer.json'));
      const config = z.looseObject({ eos_token: z.string() }).parse(at('tokenizer_config.json'));
      const texts = z.array(textSchema).parse(at('expected.json'));
      expectEqual(new HuggingFaceTokenizer(tokenizer, config), texts);
    }
  });

  it('in time that grows with the text', async () => {
    const [{ tokenizer }] = cases.filter(({ name }) => name === 'space before, single word') as [
      (typeof cases)[number],
    ];
    const long = new HuggingFaceTokenizer(tokenizer, { eos_token: '<e>' });
    const encode = (times: number): ArrayLike<number> => long.encodeTemplate(' <x>'.repeat(times));
    expect(encode(20_000)).toHaveLength(20_000);
    await expectLinear(encode, 20_000, 'added tokens');
  });
});
