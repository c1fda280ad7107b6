import type { CardDefinition, EventOf } from '../parts/definition.ts';
import { plural } from '../../words/format.ts';

type Aside = EventOf<'aside'>['of'];

const NAMES: Readonly<Record<Aside, string>> = {
  rewrite: 'Rewrite',
  draft: 'Draft',
  query: 'Query for a draft',
  revision: 'Revision',
  generation: 'Generation',
  'look-ahead': 'Look ahead',
  continuation: 'Continuation',
  reading: 'Reading',
  extract: 'Extract',
  judgement: 'Judgement',
  chain: 'Chain',
  action: 'Candidate for a step',
  role: 'Role',
};

/** Text that the policy wrote outside the rollout's context. */
export const aside: CardDefinition<'aside'> = {
  glyph: ({ of }) => ({ sign: 'aside', name: NAMES[of], tone: 'policy' }),
  line: ({ text, outcome }) => {
    const said = text.trim() || 'wrote nothing';
    return outcome === undefined ? said : `${said} → ${outcome}`;
  },
  lineInBody: true,
  figure: ({ tokens }) => (tokens === 0 ? '' : plural(tokens, 'token')),
  besideText: true,
  Body: ({ event }) => (
    <div className="body">
      <p className="prose">{event.text.trim() || 'The model wrote nothing here.'}</p>
      {event.outcome !== undefined && <p>{event.outcome}</p>}
      {event.prompt !== '' && (
        <details>
          <summary>Its prompt</summary>
          <p className="prose">{event.prompt}</p>
        </details>
      )}
      <p className="fine">
        Outside the rollout’s context, in{' '}
        {event.prompt === '' ? 'a fork of it that was dropped' : 'a fresh one'}; never trained.
      </p>
    </div>
  ),
};
