import type { AgentEvent, RouteEvent, VerdictEvent } from '../../../records/events.ts';
import type { EventRound } from '../../../records/rounds.ts';

/** Texts of round cards. */

/** The mechanisms of the paper (arXiv 2506.19466) that act in a round. */
export type MechanismId = 'rdra' | 'nlr' | 'stie';

export const MECHANISMS: Readonly<Record<MechanismId, { name: string; does: string }>> = {
  rdra: { name: 'RDRA', does: 'background first' },
  nlr: { name: 'NLR', does: 'chooses local or web' },
  stie: { name: 'STIE', does: 'filters repeats' },
};

/** The mechanism that made an event; null: none of them. */
export const mechanismOf = (event: AgentEvent): MechanismId | null => {
  if (event.kind === 'background') return 'rdra';
  if (event.kind === 'think') return event.phase === 'alignment' ? 'rdra' : null;
  if (event.kind === 'route') return event.by === 'router' ? 'nlr' : null;
  if (event.kind === 'retrieve') return event.leftOut ? 'stie' : null;
  if (event.kind === 'candidate' || event.kind === 'verdict') return 'stie';
  return null;
};

/** "Round 2" is search 2; what follows the last search is the answer. */
export const roundName = (
  { kind, search }: Pick<EventRound, 'kind' | 'search'>,
  answered: boolean,
): string => {
  if (kind === 'background') return 'Background';
  if (kind === 'end') return answered ? 'Answer' : 'End';
  return search === null ? 'Next round' : `Round ${search}`;
};

/** "local, 75 %", or "both sources". */
export const routeWords = ({ choice, by, probabilities }: RouteEvent): string =>
  choice === 'both'
    ? 'both sources'
    : by === 'router'
      ? `${choice}, ${Math.round(100 * probabilities[choice])} %`
      : choice;

/** What the model would answer now: its surest guess, and how many others there are. */
export const guessWords = (
  candidates: Extract<AgentEvent, { kind: 'candidate' }>['candidates'],
): string => {
  const [best] = candidates.toSorted((a, b) => b.confidence - a.confidence);
  if (best === undefined) return 'no guess';
  const others = candidates.length - 1;
  return `guess: ${best.text.trim() || '(empty)'}${others === 0 ? '' : ` and ${others} more`}`;
};

const ANSWERS: Record<VerdictEvent['action'], string> = {
  kept: 'kept',
  'kept-invalid': 'a repeat, kept',
  replaced: 'a repeat, replaced',
  refused: 'refused',
  blocked: 'none left',
};

/** The result of redundancy filtering in two or three words; the reason is in the details. */
export const filterWords = (event: VerdictEvent): string => {
  const { over, action, checks, replacement } = event;
  if (over === 'query')
    return action === 'refused'
      ? 'a repeat, refused'
      : checks.some(({ passed }) => !passed)
        ? 'a repeat, allowed'
        : 'new query';
  if (action !== 'kept') {
    const words = ANSWERS[action];
    return replacement === undefined ? words : `${words} by ${replacement}`;
  }
  return checks.length === 0
    ? 'first guess'
    : checks.some(({ passed }) => !passed)
      ? 'a repeat that passages support'
      : 'new guess';
};

/** Whether STIE let the event pass as it was. */
export const passes = ({ action, checks }: VerdictEvent): boolean =>
  action === 'kept' && checks.every(({ passed }) => passed);
