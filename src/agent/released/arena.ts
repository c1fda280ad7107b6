import { isObjectOrList } from '../../base/objects.ts';
import { blocksIn } from './output.ts';
import type { Release } from './release.ts';

/**
 * ARENA's format (ren258/ARENA, src/evaluate.py): relevance, analysis and answer in this order, nothing before or between
 * them, and no "<" inside. Its expression works by lines: what follows on the next line is not looked at.
 */
const FORM =
  /^<relevance>[^<]*<\/relevance>\s*<analysis>[^<]*<\/analysis>\s*<answer>[^<]*<\/answer>$/m;

/** Numbers of passages in the first block of relevance, a JSON list; null where it holds none. */
export function chosenIn(text: string): number[] | null {
  try {
    const value: unknown = JSON.parse(blocksIn(text, 'relevance')[0] ?? '');
    const list = isObjectOrList(value) && Array.isArray(value) ? value : null;
    return list?.filter((one): one is number => typeof one === 'number') ?? null;
  } catch {
    return null;
  }
}

export const arena: Release = {
  dialects: ['arena'],
  answer: ({ text }) => blocksIn(text, 'answer')[0] ?? null,
  faults: ({ text }) =>
    FORM.test(text) ? [] : ['the output is not relevance, analysis and answer'],
};
