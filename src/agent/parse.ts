import { isAnswer, isSearch, type BlockKind, type TagMeaning, type Tags } from './tags.ts';

/**
 * The protocol as an incremental state machine over the ids that the policy sampled. It never looks
 * at text for tags: `<search>` spelt in ordinary pieces is text. Every sequence of ids is accepted;
 * what breaks the protocol is a fault in words, and the machine goes on behind it.
 */

export type Parsed =
  | { type: 'opened'; kind: BlockKind }
  /** `usable` is false where the block did not end as its kind of block ends. */
  | { type: 'closed'; kind: BlockKind; inner: number[]; usable: boolean }
  | { type: 'fault'; message: string }
  | { type: 'end' };

/** What one token does to the segments, and what it means. */
export interface Step {
  /** The token begins a new segment: the block it opens, or `other`. */
  starts: BlockKind | 'other' | null;
  /** The token is the last of its segment. */
  ends: boolean;
  parsed: Parsed[];
}

interface OpenBlock {
  kind: BlockKind;
  inner: number[];
}

const sameFamily = (a: BlockKind, b: BlockKind): boolean =>
  a === b || (isSearch(a) && isSearch(b)) || (isAnswer(a) && isAnswer(b));

export class ProtocolParser {
  #block: OpenBlock | null = null;
  #stray: 'none' | 'blank' | 'text' = 'none';
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

  /** Ids inside the open block so far, its opening tag left out. */
  get openInner(): number[] {
    return [...(this.#block?.inner ?? [])];
  }

  /** The environment wrote something: the policy must think again before it acts. */
  environmentSpoke(): void {
    this.#stray = 'none';
    this.#thought = false;
  }

  /** The environment opened a block, and perhaps wrote its first tokens, in the policy's place. */
  force(kind: BlockKind, inner: readonly number[]): void {
    this.#stray = 'none';
    this.#block = { kind, inner: [...inner] };
    this.#forced = true;
  }

  /** The environment closed the open block, or put a whole thought in the policy's place. */
  closedByEnvironment(kind: BlockKind): void {
    this.#block = null;
    this.#forced = false;
    this.#stray = 'none';
    if (kind === 'think') this.#thought = true;
  }

  /** Takes the next sampled token. */
  feed(id: number): Step {
    const meaning = this.tags.meaning(id);
    const step = this.#block ? this.#inside(this.#block, id, meaning) : this.#between(id, meaning);
    if (this.#forced) {
      step.starts ??= this.#block?.kind ?? firstClosed(step) ?? 'other';
      this.#forced = false;
    }
    return step;
  }

  #between(id: number, meaning: TagMeaning | undefined): Step {
    if (!meaning) return this.#strayToken(id);
    this.#stray = 'none';
    if (meaning.type === 'open') return this.#opening(meaning.kind, []);
    if (meaning.type === 'end') return { starts: 'other', ends: true, parsed: [{ type: 'end' }] };
    const message =
      meaning.type === 'close'
        ? `${meaning.tag} without its opening tag`
        : `the policy wrote ${meaning.tag}, which only the environment may write`;
    return { starts: 'other', ends: true, parsed: [{ type: 'fault', message }] };
  }

  #strayToken(id: number): Step {
    const starts = this.#stray === 'none' ? 'other' : null;
    const parsed: Parsed[] = [];
    const blank = this.decode([id]).trim() === '';
    if (!blank && this.#stray !== 'text') {
      parsed.push({ type: 'fault', message: 'text between blocks' });
    }
    this.#stray = blank && this.#stray !== 'text' ? 'blank' : 'text';
    return { starts, ends: false, parsed };
  }

  #opening(kind: BlockKind, before: Parsed[]): Step {
    const parsed: Parsed[] = [...before, { type: 'opened', kind }];
    if (kind !== 'think' && !this.#thought) {
      parsed.push({ type: 'fault', message: `<${kind}> without a thought before it` });
    }
    this.#block = { kind, inner: [] };
    return { starts: kind, ends: false, parsed };
  }

  #inside(block: OpenBlock, id: number, meaning: TagMeaning | undefined): Step {
    if (!meaning) {
      block.inner.push(id);
      return { starts: null, ends: false, parsed: [] };
    }
    if (meaning.type === 'close' && meaning.kind === block.kind) {
      return { starts: null, ends: true, parsed: [this.#close(block, true)] };
    }
    const closed = this.#close(
      block,
      meaning.type === 'close' && sameFamily(meaning.kind, block.kind),
    );
    if (meaning.type === 'open') {
      const message = `<${meaning.kind}> inside <${block.kind}>`;
      return this.#opening(meaning.kind, [{ type: 'fault', message }, closed]);
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

  #close(block: OpenBlock, usable: boolean): Parsed {
    this.#block = null;
    if (block.kind === 'think') this.#thought = true;
    return { type: 'closed', kind: block.kind, inner: block.inner, usable };
  }
}

const firstClosed = (step: Step): BlockKind | undefined => {
  for (const parsed of step.parsed) if (parsed.type === 'closed') return parsed.kind;
  return undefined;
};
