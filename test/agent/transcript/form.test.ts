import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formIds } from '../../../src/agent/transcript/form.ts';
import { HuggingFaceTokenizer } from '../../../src/policy/open/tokenizer.ts';
import { kunlunBaize } from '../../../src/recipes/kunlun-baize.ts';
import { naiveGeneration } from '../../../src/recipes/naive-generation.ts';
import { naiveRag } from '../../../src/recipes/naive-rag.ts';
import { search } from '../../../src/recipes/search.ts';
import { withOverrides, type RecipeSettings } from '../../../src/recipes/parts/settings.ts';

const open = (folder: string): HuggingFaceTokenizer => {
  const read = (name: string) =>
    z
      .looseObject({})
      .parse(
        JSON.parse(readFileSync(new URL(`../../../${folder}/${name}`, import.meta.url), 'utf8')),
      );
  return new HuggingFaceTokenizer(read('tokenizer.json'), read('tokenizer_config.json'));
};
const withForms = open('public/policy');

describe('the form line of a recipe', () => {
  const line = (settings: RecipeSettings): string => withForms.decode(formIds(withForms, settings));
  it('says what the settings let happen', () => {
    expect(line(search.settings)).toBe('<form> search</form>');
    expect(line(naiveRag.settings)).toBe('<form> read</form>');
    expect(line(naiveGeneration.settings)).toBe('<form> think</form>');
    expect(line(kunlunBaize.settings)).toBe('<form> search , background</form>');
    const summarized = withOverrides(search.settings, { retrieval: { summarize: 'on' } });
    expect(line(summarized)).toBe('<form> search , summaries</form>');
    const given = withOverrides(kunlunBaize.settings, { retrieval: { maxSearches: 0 } });
    expect(line(given)).toBe('<form> think , background</form>');
  });
  it('is not said to a policy that knows none', () => {
    expect(formIds(open('public/first-form/policy'), search.settings)).toEqual([]);
  });
});
