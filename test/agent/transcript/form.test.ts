import { describe, expect, it } from 'vitest';
import { formIds } from '../../../src/agent/transcript/form.ts';
import { policyTokenizer as withForms, tokenizer as withoutForms } from '../tokenizer.ts';
import { kunlunBaize } from '../../../src/systems/kunlun-baize/system.ts';
import { naiveGeneration } from '../../../src/systems/naive-generation/system.ts';
import { naiveRag } from '../../../src/systems/naive-rag/system.ts';
import { search } from '../../../src/systems/search/system.ts';
import { withOverrides, type RecipeSettings } from '../../../src/recipes/parts/settings.ts';

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
    expect(formIds(withoutForms, search.settings)).toEqual([]);
  });
});
