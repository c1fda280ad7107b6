import { itemAt } from '../../../base/items.ts';
import type { Content, Piece, Protocol } from './protocol.ts';

/**
 * ReAct (arXiv 2210.03629) in its two spellings: the paper's numbered lines, `Action 1: Search[entity]`
 * and `Action 2: Finish[answer]`, and LangChain's, `Action: search`, `Action Input: …`, `Final Answer: …`.
 * The policy writes thoughts and actions; an observation is the environment's.
 */

/** One pass over the lines that open a block; bounded, because imported text is hostile. */
const OPENING = /^[ \t]{0,8}(Thought|Action|Observation|Final Answer)(?: (\d{1,4}))?:/gm;

const FINISH = /^finish\[/i;
/** The paper's tools bring text to read; LangChain's are recognised by name. */
const SEARCH =
  /^(?:\w{1,40}[ _-]?)?(?:search|lookup|wiki\w*|retriev\w*|brows\w*|google|bing|duckduckgo\w*|tavily\w*)/i;

const bodyOf = (text: string): string => text.slice(text.indexOf(':') + 1).trim();

function pieceOf(kind: string, body: string): Omit<Piece, 'text' | 'start'> {
  if (kind === 'Observation') return { source: 'environment', role: 'result' };
  if (kind === 'Final Answer') return { source: 'policy', role: 'answer' };
  if (kind === 'Thought') return { source: 'policy', role: 'think' };
  // The environment's reply to an answer ("Episode finished") is nothing that was read.
  if (FINISH.test(body)) return { source: 'policy', role: 'answer', reads: false };
  const reads = SEARCH.test(body);
  return { source: 'policy', role: reads ? 'search' : 'other', reads };
}

function cut(text: string): Piece[] {
  const lines = [...text.matchAll(OPENING)];
  const starts = lines.map(({ index }) => index);
  const first = starts[0] ?? text.length;
  const pieces: Piece[] =
    first > 0 ? [{ source: 'policy', role: 'think', text: text.slice(0, first), start: 0 }] : [];
  for (const [i, match] of lines.entries()) {
    const own = text.slice(match.index, starts[i + 1] ?? text.length);
    const kind = itemAt(match, 1, 'mark');
    pieces.push({ ...pieceOf(kind, bodyOf(own)), text: own, start: match.index });
  }
  return pieces;
}

const BRACKETS = /^[^[\n]{1,60}\[([\s\S]*)\]\s*$/;
const INPUT = /^[ \t]*Action Input(?: \d{1,4})?:[ \t]*/m;

/** What is in the brackets of an action, behind "Action Input:", or after the line's own mark. */
function content(text: string): Content | null {
  const mark = OPENING_ONCE.exec(text);
  if (!mark) return null;
  const from = mark[0].length;
  const input = INPUT.exec(text);
  if (input) return trimmed(text, input.index + input[0].length, text.length);
  const body = text.slice(from).trim();
  if (mark[1] === 'Action' && BRACKETS.test(body)) {
    const open = text.indexOf('[', from);
    return trimmed(text, open + 1, text.lastIndexOf(']'));
  }
  return trimmed(text, from, text.length);
}

const OPENING_ONCE = new RegExp(OPENING.source);

function trimmed(text: string, from: number, to: number): Content {
  const inner = text.slice(from, to);
  return { text: inner.trim(), start: from + inner.length - inner.trimStart().length };
}

/** An action, and something that answers it or ends it. */
const recognises = (text: string): boolean =>
  /^[ \t]{0,8}Action(?: \d{1,4})?:[ \t]*\S/m.test(text) &&
  /^[ \t]{0,8}(?:(?:Observation|Thought)(?: \d{1,4})?|Final Answer):/m.test(text);

export const REACT: Protocol = {
  id: 'react',
  name: 'ReAct',
  blocks: [],
  prose: 'think',
  answer: 'block',
  calledOnly: true,
  recognises,
  cut,
  content,
};
