import type { Hit } from '../../records/hits.ts';
import type { Passage } from '../../records/records.ts';
import type { PolicyTokenizer } from '../../policy/policy.ts';
import {
  BOX_OPEN,
  inBlock,
  renderBoxed,
  renderPassages,
  type RenderPassages,
  type FurtherToken,
  type SpecialToken,
} from '../../records/protocol.ts';
import { readAnswer, readPlainAnswer, type BoxedAnswer } from './boxed.ts';
import type { Tags } from './tags.ts';

/**
 * Token ids of the blocks that the environment writes. Text inside never becomes a tag: not where tags
 * are special tokens, which text cannot spell, and not where they are text, which is made harmless.
 */

type EnvironmentBlock =
  | 'background'
  | 'question'
  | 'result'
  | 'reply'
  | 'hint'
  | 'search'
  | 'short_answer';

const tagOf = (block: EnvironmentBlock, closing: boolean): SpecialToken | FurtherToken =>
  closing ? `</${block}>` : `<${block}>`;

/** The first `length` ids, without a character cut in half at the end. */
export function cutIds(
  ids: readonly number[],
  length: number,
  decode: (ids: readonly number[]) => string,
): number[] {
  if (ids.length <= length) return [...ids];
  const cut = ids.slice(0, Math.max(0, length));
  // A character is at most four bytes, so at most three ids can be halves of it.
  for (let dropped = 0; dropped < 3 && decode(cut).endsWith('\uFFFD'); dropped++) cut.pop();
  return cut;
}

/**
 * `<block> text </block>` in at most `limit` ids; the text gives way, the closing tag never does.
 */
export function blockIds(
  tokenizer: PolicyTokenizer,
  tags: Tags,
  block: EnvironmentBlock,
  text: string,
  limit = Infinity,
): number[] {
  const open = tags.ids(tagOf(block, false));
  const close = tags.ids(tagOf(block, true));
  const inner = cutIds(
    tokenizer.encodeText(tags.plain(text)),
    limit - open.length - close.length,
    (ids) => tokenizer.decode(ids),
  );
  return [...open, ...inner, ...close];
}

/** A passage whose rendered line takes at most `limit` tokens. */
function cutPassage(
  tokenizer: PolicyTokenizer,
  passage: Passage,
  limit: number,
  render: RenderPassages,
): Passage {
  // No token is shorter than a byte, so short text needs no counting.
  const line = render([passage]);
  if (line.length * 3 <= limit) return passage;
  const ids = tokenizer.encodeText(line);
  if (ids.length <= limit) return passage;
  const head = tokenizer.encodeText(render([{ ...passage, text: '' }])).length;
  const room = Math.max(1, limit - head);
  const text = cutIds(tokenizer.encodeText(inBlock(passage.text)), room, (cut) =>
    tokenizer.decode(cut),
  );
  return { ...passage, text: tokenizer.decode(text).trim() };
}

/** What `<result>` or `<background>` shows of the hits, in the format that `tags` are of. */
export function passagesText(
  tokenizer: PolicyTokenizer,
  hits: readonly Hit[],
  passageTokens: number,
  tags?: Pick<Tags, 'dialect'>,
): string {
  const render = (hits.length > 0 ? tags?.dialect?.passages : undefined) ?? renderPassages;
  return render(hits.map(({ passage }) => cutPassage(tokenizer, passage, passageTokens, render)));
}

const plainText = ({ dialect }: Pick<Tags, 'dialect'>): boolean =>
  dialect?.answer === 'text' || dialect?.answer === 'text-line' || dialect?.answer === 'message';

/** What an answer block holds, as the format that is spoken has it. */
export const readAnswerIn = (tags: Pick<Tags, 'dialect'>, inner: string): BoxedAnswer =>
  plainText(tags)
    ? readPlainAnswer(inner, tags.dialect?.answer === 'text-line')
    : readAnswer(inner);

/** The query that a search block holds, as the format that is spoken has it; empty where it holds none. */
export const readQueryIn = ({ dialect }: Pick<Tags, 'dialect'>, inner: string): string =>
  dialect?.query?.(inner.trim()) ?? inner.trim();

/** `<short_answer> \boxed{`: what a forced or probed answer starts with; without the box where a dialect has none. */
export function answerOpening(
  tokenizer: PolicyTokenizer,
  tags: Tags,
): { tag: readonly number[]; box: number[] } {
  const box = plainText(tags) ? [] : tokenizer.encodeText(BOX_OPEN);
  return { tag: tags.ids('<short_answer>'), box };
}

/** What a forced long answer starts with: the prose comes before the box, so the policy opens the box. */
export const longAnswerOpening = (tags: Tags): readonly number[] => tags.ids('<long_answer>');

/** `<short_answer> \boxed{ answer } </short_answer>`. */
export const chosenAnswerIds = (tokenizer: PolicyTokenizer, tags: Tags, answer: string): number[] =>
  blockIds(tokenizer, tags, 'short_answer', plainText(tags) ? ` ${answer}` : renderBoxed(answer));
