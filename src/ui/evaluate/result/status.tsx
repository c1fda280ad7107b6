import type {
  EvaluationRecord,
  EvaluationStatus,
} from '../../../lab/contract/records/evaluations.ts';
import type { EvaluationPhase, EvaluationProgress } from '../../../lab/contract/evaluations.ts';
import { Icon, type IconName } from '../../kit/Icon.tsx';

/** The state of an evaluation as a word, so that it does not depend on colour. */

const SIGNS: Record<EvaluationStatus, { icon: IconName } | { sign: string }> = {
  running: { icon: 'play' },
  paused: { icon: 'pause' },
  finished: { sign: '✓' },
  failed: { sign: '⚠' },
};

const TONES: Partial<Record<EvaluationStatus, string>> = { failed: 'bad', finished: 'good' };

/** End-to-end tests read `data-status`. */
export const EvaluationBadge = ({ status }: Pick<EvaluationRecord, 'status'>) => {
  const look = SIGNS[status];
  return (
    <span className={`badge ${TONES[status] ?? ''}`} data-status={status}>
      {'icon' in look ? (
        <Icon name={look.icon} size={10} />
      ) : (
        <span aria-hidden="true">{look.sign}</span>
      )}{' '}
      {status}
    </span>
  );
};

const PHASES: Record<EvaluationPhase, string> = {
  planning: 'checking earlier rollouts',
  opening: 'loading models and indexes',
  rollouts: 'rollouts',
  judging: 'judging answers',
};

/** The current phase, with the world or policy that is loading. */
export const phaseWords = ({ phase, note }: EvaluationProgress): string =>
  note === '' ? PHASES[phase] : `${PHASES[phase]}: ${note}`;
