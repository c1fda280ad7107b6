import { readFileSync } from 'node:fs';
import type { PolicyTokenizer } from '../../../src/policy/policy.ts';
import { HuggingFaceTokenizer } from '../../../src/policy/open/tokenizer.ts';

/** Tokenizers in which the protocol's tags are ordinary text. */

interface TokenizerJson {
  added_tokens: { id: number; content: string }[];
}

function readJson(path: string): TokenizerJson {
  const url = new URL(`../../../${path}`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')) as TokenizerJson;
}

export const CHAT_TOKENS = ['<|im_start|>', '<|im_end|>'] as const;

/**
 * The pieces of a real tokenizer without the protocol's tags, their ids given to a chat template's
 * tokens, as `encodeTemplate` of a chat checkpoint recognises them.
 */
function withoutTags(path: string): PolicyTokenizer {
  const json = readJson(path);
  const [end, pad, ...tags] = json.added_tokens;
  const chat = CHAT_TOKENS.map((content, i) => ({ ...tags[i], content }));
  const added = [end, pad, ...chat];
  const inner = new HuggingFaceTokenizer({ ...json, added_tokens: added }, {});
  const special = new Map(
    CHAT_TOKENS.map((token) => [token as string, inner.specialId(token) ?? -1] as const),
  );
  return {
    vocabSize: inner.vocabSize,
    endOfText: inner.endOfText,
    endIds: [inner.endOfText, special.get('<|im_end|>') ?? -1],
    encodeText: (text) => inner.encodeText(text),
    specialId: (token) => inner.specialId(token),
    decode: (ids) => inner.decode(ids),
    encodeTemplate: (text) =>
      text
        .split(/(<\|im_(?:start|end)\|>)/)
        .flatMap((part) => special.get(part) ?? inner.encodeText(part)),
  };
}

/** Words and parts of words. */
export const wordTokenizer = withoutTags('public/policy/tokenizer.json');
/** One token a byte. */
export const byteTokenizer = withoutTags('test/fixtures/qwen3-tiny/tokenizer.json');

/** Tokens that are any runs of bytes: what a vocabulary could ever hold. */
export class ByteRuns {
  readonly #runs: Uint8Array[] = [];
  readonly endOfText = -1;

  /** Ids of a text that is cut before the bytes at `cuts`. */
  encode(text: string, cuts: readonly number[]): number[] {
    const bytes = new TextEncoder().encode(text);
    const places = [...new Set(cuts.filter((cut) => cut > 0 && cut < bytes.length))].toSorted(
      (a, b) => a - b,
    );
    return [...places, bytes.length].map((end, i) => {
      return this.#runs.push(bytes.slice(places[i - 1] ?? 0, end)) - 1;
    });
  }

  decode = (ids: readonly number[]): string => {
    const runs = ids.map((id) => [...(this.#runs[id] ?? [])]).flat();
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array(runs));
  };
}
