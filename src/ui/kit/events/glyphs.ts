import type { AgentEvent } from '../../../records/events.ts';
import { unreachable } from '../unreachable.ts';

/** The sign of an event in the rail, and its name for people who do not see the sign. */
export interface Glyph {
  sign: string;
  name: string;
  /** Which colour of the code "who wrote it" the sign carries; `plain` for bookkeeping. */
  tone: 'policy' | 'environment' | 'hint' | 'good' | 'bad' | 'plain';
}

const verdictGlyph = (action: string): Glyph =>
  action === 'kept'
    ? { sign: '✓', name: 'STIE kept', tone: 'good' }
    : action === 'kept-invalid'
      ? { sign: '⊘', name: 'STIE objects', tone: 'hint' }
      : { sign: '⊘', name: `STIE ${action}`, tone: 'bad' };

export const glyphOf = (event: AgentEvent): Glyph => {
  switch (event.kind) {
    case 'background':
      return { sign: '◌', name: 'Background', tone: 'environment' };
    case 'think':
      return { sign: '✎', name: 'Think', tone: 'policy' };
    case 'search':
      return { sign: '⌕', name: 'Search', tone: 'policy' };
    case 'route':
      return event.choice === 'local'
        ? { sign: '⌂', name: 'Route: local', tone: 'hint' }
        : { sign: '⇄', name: `Route: ${event.choice}`, tone: 'hint' };
    case 'retrieve':
      return { sign: '▤', name: 'Passages', tone: 'environment' };
    case 'summarize':
      return { sign: '≡', name: 'Summary', tone: 'environment' };
    case 'candidate':
      return { sign: '◇', name: 'Candidates', tone: 'plain' };
    case 'verdict':
      return verdictGlyph(event.action);
    case 'answer':
      return { sign: '■', name: 'Answer', tone: 'policy' };
    case 'stop':
      return { sign: '□', name: 'Stop', tone: 'plain' };
    case 'error':
      return { sign: '!', name: 'Fault', tone: 'bad' };
  }
  return unreachable(event);
};
