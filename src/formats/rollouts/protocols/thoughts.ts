import { itemAt } from '../../../base/items.ts';
import type { ImportedSegment } from '../shape/imported.ts';
import { boxesIn } from './boxes.ts';
import type { BlockRule, Protocol } from './protocol.ts';

/**
 * Thoughts: no answer and no call is read in them. A chat template may open `<think>` in the prompt, so that
 * the text has only `</think>`.
 */

/** A tag of a protocol in a text. */
export interface Tag {
  rule: BlockRule;
  closing: boolean;
  start: number;
  end: number;
}

const SEQUENCE_END =
  /(?:<\|im_end\|>|<\|endoftext\|>|<\|eot_id\|>|<\/s>|<｜end▁of▁sentence｜>)\s*$/;

/** Whether a text ends with what the policy gives or asks: a closed block, or a box. It was not cut off then. */
function isWhole(text: string, tags: readonly Tag[]): boolean {
  const own = text.replace(SEQUENCE_END, '').trimEnd();
  const last = tags.findLast(({ closing }) => closing);
  if (last?.end === own.length) return true;
  const box = boxesIn(own).at(-1);
  return box !== undefined && /^\}[\s.)\]$]{0,8}$/.test(own.slice(box.start + box.text.length));
}

const isEnvironment = ({ rule, closing }: Tag): boolean =>
  !closing && rule.source === 'environment';
const isThoughtEnd = ({ rule, closing }: Tag): boolean => closing && rule.role === 'think';

/** Where the thoughts of one text end. One pass over its tags, however many of them never close. */
export class ThoughtEnds {
  readonly #text: string;
  readonly #tags: readonly Tag[];
  /** By tag: the first from it on that closes a thought or opens a block of the environment; -1 without one. */
  readonly #next: number[];
  /** By tag: how many calls are closed before it. */
  readonly #calls: number[];

  constructor(text: string, tags: readonly Tag[]) {
    this.#text = text;
    this.#tags = tags;
    let [next, calls] = [-1, 0];
    this.#calls = tags.map(({ rule, closing }) =>
      closing && rule.role === 'search' ? calls++ : calls,
    );
    this.#next = tags
      .map((_, i) => tags.length - 1 - i)
      .map((i) => {
        const tag = itemAt(tags, i, 'tags');
        if (isEnvironment(tag) || isThoughtEnd(tag)) next = i;
        return next;
      })
      .reverse();
  }

  /** End of the thought that a tag closes; null where the next block of the environment answers per call in it. */
  #closed(from: number, close: number): number | null {
    const [tag, next] = [itemAt(this.#tags, close, 'tags'), this.#tags[close + 1]];
    const answered =
      next !== undefined &&
      isEnvironment(next) &&
      this.#text.slice(tag.end, next.start).trim() === '' &&
      itemAt(this.#calls, close, 'calls') > itemAt(this.#calls, from, 'calls');
    return answered ? null : tag.end;
  }

  /**
   * Where the thought of an opening tag ends; null where the environment answers it before it closes, or
   * nothing closes it.
   */
  opened(from: number): number | null {
    const close = this.#next[from + 1] ?? -1;
    const tag = this.#tags[close];
    return tag && isThoughtEnd(tag) ? this.#closed(from, close) : null;
  }

  /**
   * Where a thought ends whose opening tag is not in the text: after the first `</think>` of what the policy
   * wrote, up to the environment's next block.
   * @param from the first tag after `at`
   * @param prompted the prompt ends in `<think>`: all is thought where the text was cut before that closed
   * @returns `at` where no thought begins there
   */
  unopened(from: number, at: number, prompted: boolean): number {
    const close = this.#next[from] ?? -1;
    const tag = this.#tags[close];
    if (!tag) return prompted && !isWhole(this.#text, this.#tags) ? this.#text.length : at;
    const before = this.#tags.slice(from, close);
    if (!isThoughtEnd(tag) || before.some(({ rule }) => rule.role === 'think')) return at;
    return this.#closed(from, close) ?? at;
  }
}

/** Whether a segment is a thought, and not the prose that some protocols count as one. */
export function isThought({ role, text }: ImportedSegment, protocol: Protocol | null): boolean {
  if (protocol === null) return /^\s*<think>/.test(text);
  if (role !== 'think' || protocol.prose !== 'think') return role === 'think';
  const tags = protocol.blocks.filter((rule) => rule.role === 'think');
  return tags.some(
    ({ open, close }) => text.trimStart().startsWith(open) || text.trimEnd().endsWith(close),
  );
}
