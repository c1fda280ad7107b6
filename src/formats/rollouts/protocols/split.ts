import type { BlockRule, Content, Piece, Protocol } from './protocol.ts';
import { itemAt, present } from '../../../base/items.ts';
import { OpenCalls, pairResults } from './open-calls.ts';
import { ThoughtEnds, type Tag } from './thoughts.ts';

const escapeRegExp = (text: string): string =>
  text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Every tag of the protocol in the text, in order: one pass, however many of them never close. */
function tagsIn(text: string, { blocks }: Protocol): Tag[] {
  const meaning = new Map<string, { rule: BlockRule; closing: boolean }>();
  for (const rule of blocks) {
    meaning.set(rule.open, { rule, closing: false });
    meaning.set(rule.close, { rule, closing: true });
  }
  const pattern = new RegExp([...meaning.keys()].map(escapeRegExp).join('|'), 'g');
  return [...text.matchAll(pattern)].map((match) => ({
    ...present(meaning.get(match[0]), `the meaning of ${match[0]}`),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/**
 * Where a block of the environment ends. Its own text is opaque: tags in it mean nothing until its
 * closing tag. Where the same kind of block opens again first, or no closing tag follows at all, the
 * closing tag was lost, and the next block of the policy ends it.
 */
function environmentEnd(tags: readonly Tag[], from: number, length: number): number {
  const { rule } = itemAt(tags, from, 'tags');
  let fallback: number | null = null;
  for (let i = from + 1; i < tags.length; i++) {
    const tag = itemAt(tags, i, 'tags');
    if (tag.rule === rule) return tag.closing ? tag.end : (fallback ?? tag.start);
    if (!tag.closing && tag.rule.source === 'policy') fallback ??= tag.start;
  }
  return fallback ?? length;
}

/** Where a block of the policy ends: after its closing tag, or before whatever block opens first. */
function policyEnd(tags: readonly Tag[], from: number, length: number): number {
  const { rule } = itemAt(tags, from, 'tags');
  for (let i = from + 1; i < tags.length; i++) {
    const tag = itemAt(tags, i, 'tags');
    if (!tag.closing) return tag.start;
    if (tag.rule === rule) return tag.end;
  }
  return length;
}

const MARKS = 64;

/** How much in front of a block, and after it, belongs to it. */
function bordersOf({ turns }: Protocol, before: string, after: string): [number, number] {
  if (!turns) return [0, after.length - after.trimStart().length];
  const own = before.length - (turns.before.exec(before)?.index ?? before.length);
  return [own, present(turns.after.exec(after), 'what follows')[0].length];
}

/** A block of the environment as it begins a segment, chat marks around it left out. */
interface EnvironmentBlock {
  rule: BlockRule;
  /** Where its first closing tag begins; null where none follows. */
  close: number | null;
  /** The segment ends with a closing tag. */
  endsClosed: boolean;
  /** It ends with its first closing tag. */
  closesOnce: boolean;
}

/** Null where the segment begins with no block of the environment. */
export function environmentBlock(text: string, protocol: Protocol): EnvironmentBlock | null {
  const isEnd = (tag: string, at: number): boolean => {
    const rest = text.slice(at + tag.length);
    return at >= 0 && bordersOf(protocol, '', rest)[1] === rest.length;
  };
  for (const rule of protocol.blocks) {
    const at = rule.source === 'environment' ? text.slice(0, MARKS).indexOf(rule.open) : -1;
    if (at < 0) continue;
    const before = text.slice(0, at);
    const marks = bordersOf(protocol, before, '')[0];
    if (before.slice(0, before.length - marks).trim() !== '') continue;
    const close = text.indexOf(rule.close, at + rule.open.length);
    return {
      rule,
      close: close < 0 ? null : close,
      endsClosed: isEnd(rule.close, text.lastIndexOf(rule.close)),
      closesOnce: isEnd(rule.close, close),
    };
  }
  return null;
}

/** What the reader of a text knows of what came before it. */
export interface SplitOptions {
  /** The prompt ends inside a thought: the chat template opened `<think>`. */
  opened?: boolean;
}

/**
 * Cuts text into the blocks of a protocol, in order; joined they are the text. Text outside blocks is
 * the policy's prose; white space and chat marks right after a block of the environment are still the
 * environment's. A thought is one block up to its end, whatever tags it mentions, unless the environment
 * answered one of them: then the inner block ends it, and its rest is prose.
 */
export const splitText = (text: string, protocol: Protocol, options?: SplitOptions): Piece[] =>
  pairResults(cutText(text, protocol, options), new OpenCalls(!protocol.calledOnly));

/** The same, with every result as its tags say it, whatever call it answers. */
export function cutText(text: string, protocol: Protocol, options: SplitOptions = {}): Piece[] {
  const pieces = protocol.cut ? protocol.cut(text) : splitTags(text, protocol, options);
  return protocol.refine ? protocol.refine(pieces) : pieces;
}

function splitTags(text: string, protocol: Protocol, options: SplitOptions): Piece[] {
  const pieces: Piece[] = [];
  const push = (rule: Omit<BlockRule, 'open' | 'close'>, start: number, end: number): void => {
    const { source, role, acts } = rule;
    const calls = source === 'policy' && (role === 'search' || acts === true);
    if (end > start)
      pieces.push({
        source,
        role,
        text: text.slice(start, end),
        start,
        ...(calls && { reads: role === 'search' }),
      });
  };
  const prose = { source: 'policy', role: protocol.prose } as const;
  const tags = tagsIn(text, protocol);
  const thoughts = new ThoughtEnds(text, tags);
  let at = 0;
  /** A thought that was opened before this place. Where prose is thought too, the blanks after it are its own. */
  const pushUnopened = (next: number, opened: boolean): void => {
    const start = at;
    at = thoughts.unopened(next, start, opened);
    if (at > start && protocol.prose === 'think') while (/\s/.test(text[at] ?? '')) at++;
    push({ source: 'policy', role: 'think' }, start, at);
  };
  pushUnopened(0, options.opened === true);
  tags.forEach((tag, i) => {
    if (tag.closing || tag.start < at) return;
    const { source, role } = tag.rule;
    let start = tag.start;
    let end =
      (role === 'think' ? thoughts.opened(i) : null) ??
      (source === 'policy' ? policyEnd : environmentEnd)(tags, i, text.length);
    if (source !== 'policy') {
      const before = text.slice(Math.max(at, start - MARKS), start);
      const [lead, rest] = bordersOf(protocol, before, text.slice(end, end + MARKS));
      start -= lead;
      end += rest;
    }
    push(prose, at, start);
    push(tag.rule, start, end);
    at = end;
    if (source !== 'environment') return;
    let next = i + 1;
    while ((tags[next]?.start ?? end) < end) next++;
    pushUnopened(next, false);
  });
  push(prose, at, text.length);
  return pieces;
}

/** Most characters that the token of an opening tag holds in front of it. */
const MOST_BEFORE = 24;

/**
 * The opening tag of a segment and where it ends. Where tags are ordinary text, the tag's first token
 * may hold text in front of it (` <search>`), or the tag's beginning may be in the last token of the
 * segment before (`><`, then `search>`).
 */
function openingIn(text: string, { blocks }: Protocol): { rule: BlockRule; end: number } | null {
  const places = blocks
    .map((rule) => ({ rule, at: text.slice(0, MOST_BEFORE + rule.open.length).indexOf(rule.open) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  const whole = places[0];
  if (whole) return { rule: whole.rule, end: whole.at + whole.rule.open.length };
  for (const missing of [1, 2, 3]) {
    const rule = blocks.find(({ open }) => text.startsWith(open.slice(missing)));
    if (rule) return { rule, end: rule.open.length - missing };
  }
  // The whole opening tag may be part of the token before (`</think><answer>` as one).
  const end = text.trimEnd();
  const closed = blocks.find(({ close }) => end.endsWith(close));
  return closed ? { rule: closed, end: 0 } : null;
}

/** The text of a block without its tags, trimmed, and where it begins. */
export function blockText(text: string, protocol: Protocol | null): Content {
  const own = protocol?.content?.(text);
  if (own) return own;
  const opening = protocol && openingIn(text, protocol);
  const from = opening?.end ?? 0;
  const close = opening ? text.lastIndexOf(opening.rule.close) : -1;
  const inner = text.slice(from, close >= from ? close : text.length);
  const lead = inner.length - inner.trimStart().length;
  return { text: inner.trim(), start: from + lead };
}
