import { TOKEN_TYPE, type Vocabulary } from './vocabulary.ts';

/** Longer than any published token; each is tried at every place where it can be cut in two. */
const LONGEST = 256;

/**
 * The merges that a SentencePiece vocabulary with scores stands for, best first: every way to put a token together
 * from two others, in the order of the token's score. User-defined tokens come first, as SentencePiece cuts a text
 * at them before it merges anything.
 *
 * @param space what spaces in user-defined tokens are written as
 */
export function scoreMerges(
  vocabulary: Vocabulary,
  scores: ArrayLike<number>,
  space: string,
): [string, string][] {
  const { tokens, types } = vocabulary;
  const ids = new Map<string, number>();
  const [user, normal]: [number[], number[]] = [[], []];
  for (const [id, text] of tokens.entries())
    if (types[id] === TOKEN_TYPE.normal) {
      ids.set(text, id);
      normal.push(id);
    } else if (types[id] === TOKEN_TYPE.userDefined) {
      ids.set(text.replaceAll(' ', space), id);
      user.push(id);
    }
  normal.sort((a, b) => scores[b]! - scores[a]! || a - b);
  const merges: [string, string][] = [];
  const add = (text: string): void => {
    if (text.length > LONGEST) return;
    const found: { left: number; right: number; pair: [string, string] }[] = [];
    for (let at = 1; at < text.length; at++) {
      const first = text.slice(0, at);
      const left = ids.get(first);
      if (left === undefined) continue;
      const second = text.slice(at);
      const right = ids.get(second);
      if (right !== undefined) found.push({ left, right, pair: [first, second] });
    }
    if (found.length > 1) found.sort((a, b) => a.left - b.left || a.right - b.right);
    for (const { pair } of found) merges.push(pair);
  };
  for (const id of user) add(tokens[id]!.replaceAll(' ', space));
  for (const id of normal) add(tokens[id]!);
  return merges;
}
