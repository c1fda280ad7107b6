import type { PolicyTokenizer } from '../../policy/policy.ts';
import { formLine, type Form } from '../../records/form-line.ts';
import { inBlock } from '../../records/protocol.ts';
import type { RecipeSettings } from '../../recipes/parts/settings.ts';
import { traitsOf } from '../../recipes/parts/system.ts';

type Loop = RecipeSettings['loop'];

/** Loops whose policy reads what the loop retrieved and answers. */
const READING: ReadonlySet<Loop> = new Set<Loop>(['naive-rag', 'rationale']);

/** Loops whose policy never asks for a search itself. */
const THINKING: ReadonlySet<Loop> = new Set<Loop>(['naive-generation', 'think']);

/** Whether the policy may search, reads what the loop retrieved, or neither. */
export const wayOf = (settings: RecipeSettings): Form['way'] => {
  const { loop, retrieval } = settings;
  const { way = READING.has(loop) ? 'read' : 'search' } = traitsOf(settings);
  return THINKING.has(loop) || retrieval.maxSearches === 0 ? 'think' : way;
};

/** What a recipe's settings let happen, as the form line says it. */
const formOf = (settings: RecipeSettings): Form => {
  const { blocks, background, method, retrieval } = settings;
  return {
    way: wayOf(settings),
    background:
      background.mode !== 'off' ||
      (method?.firstSearch === 'question' && retrieval.maxSearches > 0),
    sources: traitsOf(settings).choosesSource ?? false,
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
