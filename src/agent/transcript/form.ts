import type { PolicyTokenizer } from '../../policy/policy.ts';
import { formLine, type Form } from '../../records/form-line.ts';
import { inBlock } from '../../records/protocol.ts';
import type { RecipeSettings } from '../../recipes/parts/settings.ts';

/** What a recipe's settings let happen, as the form line says it. */
const formOf = ({ blocks, loop, background, retrieval }: RecipeSettings): Form => {
  const without = loop === 'naive-generation' || retrieval.maxSearches === 0;
  return {
    way: loop === 'naive-rag' ? 'read' : without ? 'think' : 'search',
    background: background.mode !== 'off',
    sources: retrieval.chooses ?? false,
    summaries: retrieval.summarize === 'on',
    blocks,
  };
};

/** Whether the policy knows form lines. */
export const knowsForms = (tokenizer: PolicyTokenizer): boolean =>
  tokenizer.specialId('<form>') !== undefined;

/** The form line as tokens; none for a policy that knows no such line. */
export const formIds = (tokenizer: PolicyTokenizer, settings: RecipeSettings): number[] => {
  const [open, close] = [tokenizer.specialId('<form>'), tokenizer.specialId('</form>')];
  if (open === undefined || close === undefined) return [];
  return [open, ...tokenizer.encodeText(inBlock(formLine(formOf(settings)))), close];
};
