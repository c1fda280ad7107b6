import { PROTOCOLS } from './catalogue.ts';
import { HARMONY } from './harmony.ts';
import type { Protocol } from './protocol.ts';
import { REACT } from './react.ts';

/** Blocks without which a protocol is not distinguished from chat: a lone `<think>` proves nothing. */
const telling = new Set(['search', 'result', 'answer', 'refine', 'evidence', 'background']);

/** Kinds of block whose opening tag, or closing tag, is in the text. */
const found = (text: string, { blocks }: Protocol) =>
  blocks.filter(({ open, close }) => text.includes(open) || text.includes(close));

/**
 * The protocol whose kinds of block are found most often in the text; the first of the catalogue where
 * several are; where no telling tag is in it, the first protocol that knows it by other signs. Null
 * for plain prose.
 *
 * Two pairs share their tags. `<search>` with `<answer>` and a box in the answer is ReSearch's, and
 * query tokens without `<answer>` are UR²'s.
 */
export function recogniseProtocol(text: string): Protocol | null {
  // Its own tokens are unmistakable; the answer in its last message may carry any system's tags.
  if (HARMONY.recognises?.(text)) return HARMONY;
  let [best, most] = [null as Protocol | null, 0];
  for (const protocol of PROTOCOLS) {
    const blocks = found(text, protocol);
    if (!blocks.some(({ role }) => telling.has(role))) continue;
    const boxed = protocol.id === 'research' && /<answer>[^<]*\\boxed/.test(text) ? 0.5 : 0;
    const bare = protocol.id === 'ur2' && !text.includes('<answer>') ? 0.5 : 0;
    const score = blocks.length + boxed + bare;
    if (score > most) [best, most] = [protocol, score];
  }
  // A text of actions and observations may end in tags of its own; tags of a search say more.
  if (best && (best.id !== 'think-answer' || !REACT.recognises?.(text))) return best;
  return PROTOCOLS.find(({ recognises }) => recognises?.(text)) ?? best;
}
