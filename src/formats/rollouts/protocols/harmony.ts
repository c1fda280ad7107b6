import type { Content, Piece, Protocol } from './protocol.ts';
import { isSearchCall, queryOfCall, toolCallOf } from './tool-call.ts';

/**
 * Harmony, the format of gpt-oss: messages with an author and a channel. The channel `analysis` is thought,
 * `final` is the answer, a recipient (`to=functions.search`) makes a call, and a tool is the author of what
 * answers it. In many dumps the special tokens were left out when decoding: `assistantfinalAlbi`.
 */

const RECIPIENT = String.raw`to=([\w.-]{1,60})`;
const MARKED = String.raw`(?:<\|start\|>([^<]{0,120}))?(?:<\|channel\|>([^<]{0,120}))?(?:<\|constrain\|>[^<]{0,40})?<\|message\|>`;
const PLAIN_OWN = String.raw`(?:^|assistant)(analysis|commentary|final)(?: ${RECIPIENT}\s{0,4}(?:json|code)?)?`;
const PLAIN_TOOL = String.raw`((?:functions|browser|container)\.[\w.-]{1,60}|python) to=assistant(?:analysis|commentary)`;

const HEADER = new RegExp(MARKED, 'g');
const PLAIN_HEADER = new RegExp(`${PLAIN_TOOL}|${PLAIN_OWN}`, 'g');
const END = /\s{0,8}<\|(?:end|call|return)\|>\s*(?:<\|start\|>[^<]{0,120})?$/;

const isMarked = (text: string): boolean => text.includes('<|message|>');
const isPlain = (text: string): boolean =>
  /assistant(?:analysis|final|commentary)/.test(text) || /^analysis\p{Lu}/u.test(text);

/** Who wrote a message, and for what. */
interface Header {
  end: number;
  /** Undefined where the model is meant. */
  author: string | undefined;
  channel: string;
  recipient: string | undefined;
}

function headerOf(match: RegExpExecArray | RegExpMatchArray, marked: boolean): Header {
  const end = (match.index ?? 0) + match[0].length;
  if (!marked) {
    const [, tool, channel = 'commentary', recipient] = match;
    return { end, author: tool, channel, recipient };
  }
  const [, start = '', channel = ''] = match;
  const author = start.trim().split(' ')[0] ?? '';
  const recipient = new RegExp(RECIPIENT).exec(`${start} ${channel}`)?.[1];
  return {
    end,
    author: author === '' || author === 'assistant' ? undefined : author,
    channel: channel.trim().split(' ')[0] ?? '',
    recipient,
  };
}

const PEOPLE = new Set(['user', 'system', 'developer']);

function pieceOf(header: Header, body: string): Omit<Piece, 'text' | 'start'> {
  const { author, channel, recipient } = header;
  if (author !== undefined)
    return { source: 'environment', role: PEOPLE.has(author) ? 'other' : 'result' };
  if (recipient !== undefined && recipient !== 'user') {
    const call = toolCallOf({ name: recipient, arguments: body });
    const reads = call !== null && isSearchCall(call);
    return { source: 'policy', role: reads ? 'search' : 'other', reads };
  }
  if (channel === 'final') return { source: 'policy', role: 'answer' };
  return { source: 'policy', role: channel === 'analysis' ? 'think' : 'other' };
}

function cut(text: string): Piece[] {
  const marked = isMarked(text);
  const headers = [...text.matchAll(marked ? HEADER : PLAIN_HEADER)];
  const first = headers[0]?.index ?? text.length;
  const pieces: Piece[] =
    first > 0 ? [{ source: 'policy', role: 'other', text: text.slice(0, first), start: 0 }] : [];
  headers.forEach((match, i) => {
    const [from, to] = [match.index, headers[i + 1]?.index ?? text.length];
    const header = headerOf(match, marked);
    const body = text.slice(header.end, to).replace(END, '');
    pieces.push({ ...pieceOf(header, body), text: text.slice(from, to), start: from });
  });
  return pieces;
}

/** What a message says, without its header and the mark of its end. */
function content(text: string): Content | null {
  const marked = isMarked(text);
  const match = new RegExp(marked ? MARKED : `${PLAIN_TOOL}|${PLAIN_OWN}`).exec(text);
  if (match?.index !== 0) return null;
  const from = match[0].length;
  const body = text.slice(from).replace(END, '');
  return { text: body.trim(), start: from + body.length - body.trimStart().length };
}

export const HARMONY: Protocol = {
  id: 'harmony',
  name: 'Harmony: gpt-oss',
  blocks: [],
  prose: 'other',
  answer: 'final',
  calledOnly: true,
  recognises: (text) => (text.includes('<|channel|>') && isMarked(text)) || isPlain(text),
  cut,
  content,
  query: (text) => queryOfCall(toolCallOf({ name: '', arguments: text }), text),
};
