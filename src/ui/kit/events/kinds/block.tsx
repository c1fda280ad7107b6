import type { CardDefinition, EventOf, Glyph } from '../parts/definition.ts';

type Block = EventOf<'block'>['block'];

const GLYPHS: Readonly<Record<Block, Glyph>> = {
  plan: { sign: 'plan', name: 'Plan', tone: 'policy' },
  judge: { sign: 'judge', name: 'Judge', tone: 'policy' },
  relevance: { sign: 'number', name: 'Relevant passages', tone: 'policy' },
  important: { sign: 'number', name: 'Kept passages', tone: 'policy' },
  refine: { sign: 'refine', name: 'Refine', tone: 'policy' },
  memory: { sign: 'memory', name: 'Memory', tone: 'policy' },
  summary: { sign: 'memory', name: 'Summary so far', tone: 'policy' },
  evidence: { sign: 'quote', name: 'Evidence', tone: 'policy' },
  compute: { sign: 'compute', name: 'Compute', tone: 'policy' },
  ask: { sign: 'query', name: 'Ask', tone: 'policy' },
  lookup: { sign: 'search', name: 'Look up', tone: 'policy' },
};

/** The purpose of each block. */
const PURPOSES: Readonly<Record<Block, string>> = {
  plan: 'what to find out, before the first search',
  judge: 'whether the result helps',
  relevance: 'numbers of the relevant passages',
  important: 'numbers of the passages that are kept',
  refine: 'what matters in the result',
  memory: 'everything known so far',
  summary: 'latest findings',
  evidence: 'sentences that support the answer',
  compute: 'an expression that the environment computes',
  ask: 'a question to the user',
  lookup: 'text to find on the last opened page',
};

/** The card of any recipe block besides thoughts, searches and answers. */
export const block: CardDefinition<'block'> = {
  glyph: ({ block: kind }) => GLYPHS[kind],
  line: ({ text, reply }) => {
    const said = text.trim() || 'wrote nothing';
    return reply === undefined ? said : `${said} → ${reply}`;
  },
  lineInBody: true,
  besideText: false,
  Body: ({ event }) => (
    <div className="body">
      <p className="prose">{event.text.trim() || 'The model wrote nothing here.'}</p>
      {event.reply !== undefined && <p className="prose">Answered with: {event.reply}</p>}
      <p className="fine">{PURPOSES[event.block]}</p>
    </div>
  ),
};
