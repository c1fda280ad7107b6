import { SPECIAL_TOKENS } from '../../records/protocol.ts';

/**
 * Text from outside for policies whose tags are text. The parser looks at sampled tokens only, so such
 * text can never act; but a model would read a tag in a passage as a tag, and a server that tokenizes
 * text may read control tokens in it. Both are shown with other brackets, so that a reader sees what
 * was there: `<search>` becomes `‹search›`, `<|im_end|>` becomes `‹|im_end|›`.
 */

const NAMES = [
  ...new Set(
    SPECIAL_TOKENS.filter((token) => !token.startsWith('<|')).map((token) =>
      token.replace(/[</>]/g, ''),
    ),
  ),
];

/** Tags of the protocol, however they are spaced and cased. */
const TAG = new RegExp(`<(\\s*/?\\s*(?:${NAMES.join('|')})\\s*/?\\s*)>`, 'giu');
/** Control tokens of chat templates: `<|…|>`, the fullwidth bars of DeepSeek's, turns and ends. */
const CONTROL =
  /<([|｜][^<>\n]{0,80}[|｜])>|<(\/?s|bos|eos|pad|unk|start_of_turn|end_of_turn)>|<(<\/?SYS>)>|\[(\/?INST)\]/giu;

const inOtherBrackets = (whole: string): string =>
  whole.replace(/[<[]/g, '‹').replace(/[>\]]/g, '›');

/**
 * The text with every tag and control token in it shown in other brackets.
 * @param further tags of a dialect; those without brackets are words, and stay
 */
export function harmless(text: string, further: readonly string[] = []): string {
  let plain = text.replace(TAG, '‹$1›').replace(CONTROL, inOtherBrackets);
  for (const tag of further)
    if (tag.startsWith('<')) plain = plain.replaceAll(tag, inOtherBrackets(tag));
  return plain;
}
