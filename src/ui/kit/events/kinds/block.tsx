import type { CardDefinition, EventOf, Glyph } from '../parts/definition.ts';

type Block = EventOf<'block'>['block'];

const GLYPHS: Readonly<Record<Block, Glyph>> = {
  plan: { sign: '☰', name: 'Plan', tone: 'policy' },
  judge: { sign: '⚖', name: 'Judge', tone: 'policy' },
  relevance: { sign: '#', name: 'Relevant passages', tone: 'policy' },
  important: { sign: '#', name: 'Kept passages', tone: 'policy' },
  refine: { sign: '✂', name: 'Refine', tone: 'policy' },
  memory: { sign: '▤', name: 'Memory', tone: 'policy' },
  summary: { sign: '▤', name: 'Summary so far', tone: 'policy' },
  evidence: { sign: '❝', name: 'Evidence', tone: 'policy' },
  compute: { sign: '=', name: 'Compute', tone: 'policy' },
  ask: { sign: '?', name: 'Ask', tone: 'policy' },
  lookup: { sign: '⌕', name: 'Look up', tone: 'policy' },
};

/** What each block is for. */
const PURPOSES: Readonly<Record<Block, string>> = {
  plan: 'what is to be found out, before the first search',
  judge: 'whether the result helps',
  relevance: 'which passages of the result bear on the question, by number',
  important: 'which passages of the result are kept, by number',
  refine: 'what of the result matters',
  memory: 'everything that is known so far',
  summary: 'what was found last',
  evidence: 'the sentences that the answer rests on',
  compute: 'an expression that the environment computes',
  ask: 'a question to the asker',
  lookup: 'a text to find on the page that was opened last',
};

/** The card of any block that a recipe has beyond thinking, searching and answering. */
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
