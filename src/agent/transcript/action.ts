import type { Generated, PolicyTokenizer } from '../../policy/policy.ts';
import { readAnswerIn, readQueryIn } from './blocks.ts';
import type { BlockKind } from './dialect.ts';
import { ProtocolParser } from './parse.ts';
import { createScanner } from './scanner.ts';
import { isAnswer, isSearch, type Tags } from './tags.ts';

/** What a policy did in tokens that it wrote in a fork. */
export interface Action {
  /** `none`: neither a search nor an answer that can be read. */
  kind: 'search' | 'answer' | 'none';
  /** The query, or the answer. */
  text: string;
}

/** @param open block that was open where it began */
export function readAction(
  tokenizer: PolicyTokenizer,
  tags: Tags,
  { ids }: Pick<Generated, 'ids'>,
  open: BlockKind | null,
): Action {
  const decode = (some: readonly number[]): string => tokenizer.decode(some);
  const parser = new ProtocolParser(tags, decode);
  if (open) parser.force(open, []);
  const scanner = createScanner(tags, decode);
  const units = [...ids.flatMap((id) => scanner.push({ id })), ...scanner.flush()];
  for (const step of units.flatMap((unit) => parser.take(unit).parsed)) {
    if (step.type !== 'closed' || !step.usable) continue;
    if (isSearch(step.kind)) {
      const query = readQueryIn(tags, step.inner);
      if (query !== '') return { kind: 'search', text: query };
    }
    if (!isAnswer(step.kind)) continue;
    const { answer } = readAnswerIn(tags, step.inner);
    if (answer !== null) return { kind: 'answer', text: answer };
  }
  return { kind: 'none', text: '' };
}
