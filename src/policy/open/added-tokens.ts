import type { AddedToken, Tokenizer } from '@huggingface/tokenizers';

/**
 * Finds added tokens in a text as Hugging Face's `tokenizers` does in Rust (`AddedVocabulary`). The JavaScript library
 * passes over `single_word`, and takes a piece for an added token wherever it reads like one.
 */

/** A stretch of a text: an added token, or text without any. */
interface Piece {
  /** null for text. */
  readonly token: AddedToken | null;
  readonly text: string;
  /** Where it begins. */
  readonly at: number;
}

interface Node {
  token?: AddedToken;
  readonly next: Map<string, Node>;
}

/** What Rust's `\w` stands for. */
const WORD = String.raw`[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]`;
const ENDS_IN_WORD = new RegExp(`${WORD}$`, 'u');
const BEGINS_WITH_WORD = new RegExp(`^${WORD}`, 'u');
const SPACE = /^\p{White_Space}$/u;

/** Whether a character of a word stands right before or after a stretch. A character has at most two units. */
const touchesWord = (text: string, from: number, to: number): boolean =>
  ENDS_IN_WORD.test(text.slice(Math.max(0, from - 2), from)) ||
  BEGINS_WITH_WORD.test(text.slice(to, to + 2));

/** Where the white space before a place begins, at `least` at the earliest. */
function spaceBefore(text: string, at: number, least: number): number {
  let from = at;
  while (from > least && SPACE.test(text[from - 1]!)) from -= 1;
  return Math.max(from, least);
}

/** Where the white space after a place ends. */
function spaceAfter(text: string, at: number): number {
  let to = at;
  while (to < text.length && SPACE.test(text[to]!)) to += 1;
  return to;
}

/** Cuts texts at the tokens of a list: the first that begins, of those the longest. */
export class AddedTokenSplitter {
  readonly #root: Node = { next: new Map() };

  /** @param tokens with what each reads like in the texts that are cut */
  constructor(tokens: Iterable<readonly [written: string, token: AddedToken]>) {
    for (const [written, token] of tokens) {
      if (written === '') continue;
      let node = this.#root;
      for (const unit of written.split('')) {
        const next = node.next.get(unit) ?? { next: new Map<string, Node>() };
        node.next.set(unit, next);
        node = next;
      }
      node.token ??= token;
    }
  }

  #longestAt(text: string, from: number): { token: AddedToken; end: number } | null {
    let found: { token: AddedToken; end: number } | null = null;
    let node: Node | undefined = this.#root;
    for (let at = from; at < text.length; at++) {
      node = node.next.get(text[at]!);
      if (!node) break;
      if (node.token) found = { token: node.token, end: at + 1 };
    }
    return found;
  }

  split(text: string): Piece[] {
    const pieces: Piece[] = [];
    let taken = 0;
    let at = 0;
    while (at < text.length) {
      const match = this.#longestAt(text, at);
      if (!match) {
        at += 1;
        continue;
      }
      const { token, end } = match;
      if (!(token.single_word && touchesWord(text, at, end))) {
        const from = token.lstrip ? spaceBefore(text, at, taken) : at;
        const to = token.rstrip ? spaceAfter(text, end) : end;
        if (from > taken) pieces.push({ token: null, text: text.slice(taken, from), at: taken });
        pieces.push({ token, text: text.slice(from, to), at: from });
        taken = to;
      }
      at = end;
    }
    if (taken < text.length) pieces.push({ token: null, text: text.slice(taken), at: taken });
    return pieces;
  }
}

/** Cuts a text into tokens, added ones recognised; nothing is put before or after it. */
export class AddedTokenEncoder {
  readonly #tokenizer: Tokenizer;
  /** Tokens that are looked for in the text, and those that are looked for once it was normalised. */
  readonly #plain: AddedTokenSplitter;
  readonly #normalised: AddedTokenSplitter;

  constructor(tokenizer: Tokenizer) {
    const { normalizer, model } = tokenizer;
    this.#tokenizer = tokenizer;
    const added = [...tokenizer.get_added_tokens_decoder().values()];
    const normal = (token: AddedToken): string =>
      normalizer ? normalizer(token.content) : token.content;
    this.#plain = new AddedTokenSplitter(
      added.filter((token) => !token.normalized).map((token) => [token.content, token]),
    );
    const normalised = added.filter((token) => token.normalized);
    this.#normalised = new AddedTokenSplitter(normalised.map((token) => [normal(token), token]));
    // Since 0.22 Rust decodes such a token as what was found in the text.
    if (model) for (const token of normalised) model.vocab[token.id] = normal(token);
  }

  /** @throws Error where the vocabulary lacks a piece of the text */
  encode(text: string): number[] {
    const { normalizer } = this.#tokenizer;
    return this.#plain.split(text).flatMap(({ token, text: section, at }) => {
      if (token) return [token.id];
      const normal = normalizer ? normalizer(section) : section;
      return this.#normalised
        .split(normal)
        .flatMap((piece) =>
          piece.token ? [piece.token.id] : this.#ids(piece.text, at === 0 && piece.at === 0),
        );
    });
  }

  #ids(text: string, isFirst: boolean): number[] {
    const { pre_tokenizer: split, model } = this.#tokenizer;
    if (!model) throw new Error('there is no model');
    // Metaspace may put its mark before the first piece only.
    const pieces = split ? split(text, { section_index: isFirst ? 0 : 1 }) : [text];
    return model(pieces).map((piece) => {
      const id = model.tokens_to_ids.get(piece) ?? model.unk_token_id;
      if (id === undefined) throw new Error('the vocabulary lacks a piece of it');
      return id;
    });
  }
}
