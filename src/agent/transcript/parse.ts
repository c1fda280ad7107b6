import type { Unit } from './scanner.ts';
import type { BlockKind } from '../../recipes/parts/dialect.ts';
import { isAnswer, isFurther, isSearch, type TagMeaning, type Tags } from './tags.ts';

/**
 * The protocol as an incremental state machine over what the policy sampled, in the scanner's units.
 * It never looks at text for tags: that is the scanner's, where tags are text at all. Every sequence
 * of units is accepted; what breaks the protocol is a fault as text, and the machine continues after it.
 */

export type Parsed =
  | { type: 'opened'; kind: BlockKind }
  /** `usable` is false where the block did not end as its kind of block ends; `prose`: no tag opened it. */
  | { type: 'closed'; kind: BlockKind; inner: string; usable: boolean; prose?: true }
  | { type: 'fault'; message: string }
  | { type: 'end' };

/** What one unit does to the segments, and what it means. */
export interface Step {
  /** The unit begins a new segment: the block it opens, or `other`. */
  starts: BlockKind | 'other' | null;
  /** The unit is the last of its segment. */
  ends: boolean;
  parsed: Parsed[];
}

interface OpenBlock {
  kind: BlockKind;
  inner: Content[];
  /** Prose that a dialect reads as a thought: no tag opened it. */
  prose?: true;
  toEnd?: true;
}

type Opening = Extract<TagMeaning, { type: 'open' }>;

/** Ids that are to be decoded together, or text. */
type Content = readonly number[] | string;

const sameFamily = (a: BlockKind, b: BlockKind): boolean =>
  a === b || (isSearch(a) && isSearch(b)) || (isAnswer(a) && isAnswer(b));

export class ProtocolParser {
  #block: OpenBlock | null = null;
  /** Between blocks: whether a segment was begun there, and whether it holds more than blanks. */
  #stray = { begun: false, text: false };
  #thought = false;
  #forced = false;

  constructor(
    private readonly tags: Tags,
    private readonly decode: (ids: readonly number[]) => string,
  ) {}

  /** The block that is open now. */
  get open(): BlockKind | null {
    return this.#block?.kind ?? null;
  }

  /** Text inside the open block so far, its opening tag left out. */
  get openInner(): string {
    return this.#textOf(this.#block?.inner ?? []);
  }

  /** Ends prose that is read as a thought. @returns its text; null where none is open */
  endProse(): string | null {
    const block = this.#block;
    if (!block?.prose) return null;
    this.#block = null;
    this.#thought = true;
    return this.#textOf(block.inner);
  }

  /** The environment wrote something: the policy must think again before it acts. */
  environmentSpoke(): void {
    this.#endStray();
    this.#thought = false;
  }

  /** The environment opened a block, and perhaps wrote its first tokens, in the policy's place. */
  force(kind: BlockKind, inner: readonly number[], prose = false): void {
    this.#endStray();
    this.#block = { kind, inner: [inner], ...(prose && { prose }) };
    this.#forced = true;
  }

  /** The environment closed the open block, or put a whole thought in the policy's place. */
  closedByEnvironment(kind: BlockKind): void {
    this.#block = null;
    this.#forced = false;
    this.#endStray();
    if (kind === 'think') this.#thought = true;
  }

  /** Takes the next sampled token where tags are ids. */
  feed(id: number): Step {
    const meaning = this.tags.meaning(id);
    return this.take({ tokens: [{ id }], text: null, meaning });
  }

  /** Takes the next unit. */
  take(given: Unit): Step {
    const unit = this.tags.dialect ? this.#meant(given) : given;
    const step = this.#block ? this.#inside(this.#block, unit) : this.#between(unit);
    if (this.#forced && (unit.tokens.length > 0 || unit.meaning)) {
      step.starts ??= this.#block?.kind ?? firstClosed(step) ?? 'other';
      this.#forced = false;
    }
    return step;
  }

  /** In a dialect a closing tag is text where nothing that it closes is open. */
  #meant(unit: Unit): Unit {
    const { meaning } = unit;
    // A call that ends with the turn holds whatever other blocks begin with.
    if (this.#block?.toEnd && meaning?.type === 'open' && !isSearch(meaning.kind))
      return { tokens: unit.tokens, text: unit.text };
    if (meaning?.type !== 'close') return unit;
    const open = this.#block?.kind;
    const closes = (meaning.of ?? [meaning.kind]).some(
      (kind) => open !== undefined && sameFamily(kind, open),
    );
    if (closes && open) return { ...unit, meaning: { ...meaning, kind: open } };
    return { tokens: unit.tokens, text: unit.text };
  }

  #between(unit: Unit): Step {
    const { meaning } = unit;
    if (!meaning) return this.#strayUnit(unit);
    this.#endStray();
    if (meaning.type === 'open') return this.#opening(meaning, []);
    if (meaning.type === 'end') return { starts: 'other', ends: true, parsed: [{ type: 'end' }] };
    const message =
      meaning.type === 'close'
        ? `${meaning.tag} without its opening tag`
        : `the policy wrote ${meaning.tag}, which only the environment may write`;
    return { starts: 'other', ends: true, parsed: [{ type: 'fault', message }] };
  }

  #strayUnit(unit: Unit): Step {
    const stray = this.#stray;
    // Text whose token is in another segment begins none of its own.
    const starts = stray.begun || unit.tokens.length === 0 ? null : 'other';
    const blank = this.#textOf([contentOf(unit)]).trim() === '';
    if (!blank && this.tags.dialect) {
      this.#endStray();
      this.#block = { kind: 'think', inner: [contentOf(unit)], prose: true };
      return { starts: 'think', ends: false, parsed: [{ type: 'opened', kind: 'think' }] };
    }
    const parsed: Parsed[] =
      blank || stray.text ? [] : [{ type: 'fault', message: 'text between blocks' }];
    this.#stray = { begun: stray.begun || starts !== null, text: stray.text || !blank };
    return { starts, ends: false, parsed };
  }

  #endStray(): void {
    this.#stray = { begun: false, text: false };
  }

  #opening({ kind, toEnd }: Opening, before: Parsed[]): Step {
    const parsed: Parsed[] = [...before, { type: 'opened', kind }];
    if (kind !== 'think' && !isFurther(kind) && !this.#thought && !this.tags.dialect) {
      parsed.push({ type: 'fault', message: `<${kind}> without a thought before it` });
    }
    this.#block = { kind, inner: [], ...(toEnd && { toEnd }) };
    return { starts: kind, ends: false, parsed };
  }

  #inside(block: OpenBlock, unit: Unit): Step {
    const { meaning } = unit;
    if (!meaning) {
      block.inner.push(contentOf(unit));
      return { starts: null, ends: false, parsed: [] };
    }
    if (meaning.type === 'close' && meaning.kind === block.kind) {
      return { starts: null, ends: true, parsed: [this.#close(block, true)] };
    }
    if (this.#mayBreakOff(block, meaning)) return this.#breakOff(block, meaning);
    const closed = this.#close(
      block,
      meaning.type === 'close' && sameFamily(meaning.kind, block.kind),
    );
    if (meaning.type === 'open') {
      const message = `<${meaning.kind}> inside <${block.kind}>`;
      return this.#opening(meaning, [{ type: 'fault', message }, closed]);
    }
    const message =
      meaning.type === 'end'
        ? `<${block.kind}> is not closed`
        : meaning.type === 'close'
          ? `<${block.kind}> closed by ${meaning.tag}`
          : `the policy wrote ${meaning.tag} inside <${block.kind}>`;
    const parsed: Parsed[] = [{ type: 'fault', message }, closed];
    if (meaning.type === 'end') parsed.push({ type: 'end' });
    return { starts: null, ends: true, parsed };
  }

  /** In a dialect any tag ends a thought, and the end of the turn an answer that nothing else closes. */
  #mayBreakOff({ kind, toEnd }: OpenBlock, { type }: TagMeaning): boolean {
    if (!this.tags.dialect) return false;
    if (toEnd) return type === 'open' || type === 'end';
    return kind === 'think' ? type === 'open' || type === 'end' : isAnswer(kind) && type === 'end';
  }

  #breakOff(block: OpenBlock, meaning: TagMeaning): Step {
    const closed = this.#close(block, true);
    if (meaning.type === 'open') return this.#opening(meaning, [closed]);
    return { starts: null, ends: true, parsed: [closed, { type: 'end' }] };
  }

  #close(block: OpenBlock, usable: boolean): Parsed {
    this.#block = null;
    // A plan is a thought.
    if (block.kind === 'think' || block.kind === 'plan') this.#thought = true;
    return {
      type: 'closed',
      kind: block.kind,
      inner: this.#textOf(block.inner),
      usable,
      ...(block.prose && { prose: true }),
    };
  }

  /** Ids that follow each other are decoded as one: a character may be cut between them. */
  #textOf(contents: readonly Content[]): string {
    let text = '';
    let ids: number[] = [];
    for (const content of contents) {
      if (typeof content !== 'string') ids.push(...content);
      else {
        text += this.decode(ids) + content;
        ids = [];
      }
    }
    return text + this.decode(ids);
  }
}

const contentOf = ({ tokens, text }: Unit): Content => text ?? tokens.map(({ id }) => id);

const firstClosed = (step: Step): BlockKind | undefined => {
  for (const parsed of step.parsed) if (parsed.type === 'closed') return parsed.kind;
  return undefined;
};
