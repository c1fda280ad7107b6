import type { PolicyTokenizer } from '../policy.ts';
import type { ChatMessage } from '../text-model.ts';

const CJK =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}]';

/**
 * Up to six letters or three digits with the space before them, one character of a script without
 * spaces, one of anything else, a run of white space: about as long as tokens are, so that counts of
 * pieces are near counts of tokens.
 */
const PIECE = new RegExp(
  ` ?(?:(?!${CJK})[\\p{L}\\p{M}]){1,6}| ?\\p{N}{1,3}| ?[^\\s\\p{L}\\p{M}\\p{N}]| ?${CJK}|\\s+|.`,
  'gsu',
);

/** Where a message begins. Their ids are reserved: no text, whatever it says, encodes to them. */
const ROLE_MARKS: Record<ChatMessage['role'], string> = {
  system: '<|system|>',
  user: '<|user|>',
  assistant: '<|assistant|>',
};
const ROLES = ['system', 'user', 'assistant'] as const;
const END = 0;
const MARK_PATTERN = /(<\|(?:system|user|assistant)\|>)/;

/** A role's mark and the message after it, as `encodeTemplate` reads them. */
export const markedMessage = ({ role, content }: ChatMessage): string => ROLE_MARKS[role] + content;

/**
 * The tokenizer of a policy that takes and gives text: ids are numbers given to the pieces of text
 * met so far. They mean something only within this object, which is why records keep the pieces' text
 * beside them; and counts of them are counts of pieces, not of the model's tokens. Texts survive as
 * they are: decoding what was encoded gives the same string.
 *
 * Pieces are never forgotten; a million different ones take some tens of megabytes.
 */
export class PieceTokenizer implements PolicyTokenizer {
  readonly pieces = true;
  /** The server said that the turn ended; it has no text. */
  readonly endOfText = END;
  readonly #texts: string[] = ['', ...ROLES.map((role) => ROLE_MARKS[role])];
  readonly #ids = new Map<string, number>();

  /** Pieces known so far. */
  get vocabSize(): number {
    return this.#texts.length;
  }

  encodeText(text: string): number[] {
    return (text.match(PIECE) ?? []).map((piece) => this.intern(piece));
  }

  /** The id of one piece, whatever it holds: a token as a server gave it. */
  intern(piece: string): number {
    const known = this.#ids.get(piece);
    if (known !== undefined) return known;
    const id = this.#texts.push(piece) - 1;
    this.#ids.set(piece, id);
    return id;
  }

  /** Text with the marks of `markedMessage`. */
  encodeTemplate(text: string): number[] {
    return text.split(MARK_PATTERN).flatMap((part) => {
      const role = ROLES.findIndex((name) => ROLE_MARKS[name] === part);
      return role < 0 ? this.encodeText(part) : [1 + role];
    });
  }

  /** The role whose message begins with this id. */
  roleOf(id: number): ChatMessage['role'] | undefined {
    return ROLES[id - 1];
  }

  specialId(): undefined {
    return undefined;
  }

  /** @throws RangeError for an id that no piece has */
  decode(ids: readonly number[]): string {
    return ids.map((id) => this.#text(id)).join('');
  }

  #text(id: number): string {
    const text = this.#texts[id];
    if (text === undefined) throw new RangeError(`pieces: there is no piece ${id}`);
    return text;
  }
}
