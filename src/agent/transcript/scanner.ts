import type { TagMeaning, Tags } from './tags.ts';

/**
 * Between sampled tokens and the parser. Where tags are ids, every token is a unit by itself. Where
 * they are text, a tag may be spelt by any tokens; the rules are:
 *
 * 1. A token whose text may be the beginning of a tag is held back until that is decided; tokens that
 *    hold halves of a character are held until the character is whole.
 * 2. Every token that holds a part of a tag belongs to the tag's unit, so a tag is never cut. Text in
 *    front of the tag in the unit's first token is reported before it, as a unit without tokens; text
 *    after it in the last token is reported after it in the same way, or begins the next tag.
 * 3. A token that holds parts of two tags (`><`) belongs to the first.
 *
 * So every sampled token is in exactly one unit, in order, and the events do not depend on how the
 * text was cut into tokens.
 */

export interface SampledToken {
  id: number;
  /** Absent where the policy gives none. */
  logprob?: number;
  entropy?: number;
}

export interface Unit {
  /** None where the text is in a token of the unit before or after. */
  tokens: readonly SampledToken[];
  /** The text; null where a decoding of the tokens' ids gives it (tags are ids). */
  text: string | null;
  meaning?: TagMeaning;
}

export interface Scanner {
  /** Takes one sampled token. @returns what is decided with it, in order */
  push(token: SampledToken): Unit[];
  /** At the end of a call: characters that are not whole will not become so. */
  endCall(): Unit[];
  /** Gives out what is held back as the text that it is. */
  flush(): Unit[];
  /** Text held back: it may be the beginning of a tag. */
  readonly held: string;
}

/** Tokens whose joined text is whole characters; without tokens: text of a token already given out. */
interface Piece {
  tokens: SampledToken[];
  text: string;
}

type Decode = (ids: readonly number[]) => string;

/** A character is at most four bytes, so more tokens than that are not halves of one. */
const MOST_HALVES = 4;

const HALF = '\uFFFD';

const idsOf = (tokens: readonly SampledToken[]): number[] => tokens.map((token) => token.id);

/** Cuts sampled tokens into pieces of whole characters. */
class PieceReader {
  #halves: SampledToken[] = [];
  /** Length of what is whole so far, and how many tokens came since it grew. */
  #whole = 0;
  #waiting = 0;
  /** The ids before: some decoders treat the first token of a text in a way of its own. */
  #before: number[] = [];

  constructor(private readonly decode: Decode) {}

  push(token: SampledToken): Piece | null {
    const broken = this.#cutBefore(token);
    if (broken) return broken;
    this.#halves.push(token);
    const text = this.#text();
    if (!text.endsWith(HALF)) return this.#take(text);
    const whole = text.length - HALF.length;
    this.#waiting = whole > this.#whole ? 1 : this.#waiting + 1;
    this.#whole = whole;
    return this.#waiting < MOST_HALVES ? null : this.#take(text);
  }

  /** What is held, where `token` completes nothing of it but is half a character itself; it is held then. */
  #cutBefore(token: SampledToken): Piece | null {
    if (this.#halves.length === 0) return null;
    const alone = this.decode([token.id]);
    const held = this.#text();
    if (!alone.endsWith(HALF) || this.#text([token]) !== held + alone) return null;
    const piece = this.#take(held);
    this.#halves = [token];
    this.#waiting = 1;
    this.#whole = alone.length - HALF.length;
    return piece;
  }

  /** What is left, as it decodes. */
  end(): Piece | null {
    return this.#halves.length === 0 ? null : this.#take(this.#text());
  }

  #text(next: readonly SampledToken[] = []): string {
    const before = this.decode(this.#before).length;
    const ids = idsOf([...this.#halves, ...next]);
    return this.decode([...this.#before, ...ids]).slice(before);
  }

  #take(text: string): Piece {
    const piece = { tokens: this.#halves, text };
    // A broken character decodes otherwise beside its neighbours.
    this.#before = text.includes(HALF) ? [] : idsOf(this.#halves);
    this.#halves = [];
    this.#whole = 0;
    this.#waiting = 0;
    return piece;
  }
}

/** Length of the longest end of `text` that a tag begins with and that is not yet a whole tag. */
function openEnd(text: string, tags: readonly string[]): number {
  const longest = Math.max(0, ...tags.map((tag) => tag.length - 1));
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (tags.some((tag) => tag.length > length && tag.startsWith(end))) return length;
  }
  return 0;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

class TextScanner implements Scanner {
  readonly #tags: Tags;
  readonly #texts: readonly string[];
  readonly #pattern: RegExp;
  readonly #reader: PieceReader;
  #pieces: Piece[] = [];

  constructor(tags: Tags, decode: Decode) {
    this.#tags = tags;
    this.#texts = [...tags.texts.keys()];
    // Of tags that begin alike the longest is meant.
    const longestFirst = this.#texts.toSorted((a, b) => b.length - a.length);
    this.#pattern = new RegExp(longestFirst.map(escaped).join('|'));
    this.#reader = new PieceReader(decode);
  }

  get held(): string {
    return this.#pieces.map((piece) => piece.text).join('');
  }

  push(token: SampledToken): Unit[] {
    const meaning = this.#tags.meaning(token.id);
    if (meaning) return [...this.flush(), { tokens: [token], text: '', meaning }];
    const piece = this.#reader.push(token);
    if (!piece) return [];
    this.#pieces.push(piece);
    return this.#scan();
  }

  endCall(): Unit[] {
    const piece = this.#reader.end();
    if (!piece) return [];
    this.#pieces.push(piece);
    return this.#scan();
  }

  flush(): Unit[] {
    const units = [...this.endCall(), ...this.#scan(true)];
    units.push(...this.#pieces);
    this.#pieces = [];
    return units;
  }

  /** Whether a text may yet become a longer tag than the one it begins with. */
  #mayGrow(text: string): boolean {
    return this.#texts.some((tag) => tag.length > text.length && tag.startsWith(text));
  }

  /**
   * Gives out whole tags and whatever cannot become one.
   * @param last no more text follows
   */
  #scan(last = false): Unit[] {
    const units: Unit[] = [];
    for (;;) {
      const text = this.held;
      const found = this.#pattern.exec(text);
      if (found && !last && this.#mayGrow(text.slice(found.index))) {
        units.push(...this.#before(found.index));
        return units;
      }
      if (!found) {
        if (last) return units;
        units.push(...this.#before(text.length - openEnd(text, this.#texts)));
        return units;
      }
      units.push(...this.#before(found.index));
      units.push(...this.#tag(found[0]));
    }
  }

  /** Gives out the pieces that end at or before `index` of the text that is held. */
  #before(index: number): Unit[] {
    let end = 0;
    const whole = this.#pieces.findIndex((piece) => (end += piece.text.length) > index);
    return this.#pieces.splice(0, whole < 0 ? this.#pieces.length : whole);
  }

  /** Gives out a tag that begins in the first piece, and the text in front of it in that piece. */
  #tag(tag: string): Unit[] {
    const text = this.held;
    const from = text.indexOf(tag);
    const end = from + tag.length;
    const tokens: SampledToken[] = [];
    let covered = 0;
    while (covered < end) {
      const piece = this.#pieces.shift();
      if (!piece) break;
      tokens.push(...piece.tokens);
      covered += piece.text.length;
    }
    const behind = text.slice(end, covered);
    if (behind !== '') this.#pieces.unshift({ tokens: [], text: behind });
    const meaning = this.#tags.texts.get(tag);
    const unit: Unit = { tokens, text: tag, ...(meaning ? { meaning } : {}) };
    return from > 0 ? [{ tokens: [], text: text.slice(0, from) }, unit] : [unit];
  }
}

/** Tags are ids: every token is decided at once. */
function idScanner(tags: Tags): Scanner {
  return {
    push: (token) => {
      const meaning = tags.meaning(token.id);
      return [{ tokens: [token], text: null, ...(meaning ? { meaning } : {}) }];
    },
    endCall: () => [],
    flush: () => [],
    held: '',
  };
}

export const createScanner = (tags: Tags, decode: Decode): Scanner =>
  tags.spelling === 'ids' ? idScanner(tags) : new TextScanner(tags, decode);
