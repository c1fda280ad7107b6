import type { Unknown } from '../../../evaluate/rollouts/filter/unknown.ts';
import { formatCount, plural } from '../../kit/words/format.ts';

/** Fields in the filter that rollouts lack: which, how many rollouts, and why. */
export const UnknownNote = (props: {
  unknown: readonly Unknown[];
  /** Shows the rollouts that lack the field. */
  show: (filter: string) => void;
}) =>
  props.unknown.length === 0 ? null : (
    <div className="note unknown-note" role="status">
      {props.unknown.map(({ field, rows, of, why }) => (
        <p key={field}>
          <b>
            <code>{field}</code> is unknown for {formatCount(rows)} of {plural(of, 'rollout')}
          </b>
          : {why}. Unknown is not zero: no comparison with it is true, even with “not”.{' '}
          <button type="button" className="link" onClick={() => props.show(`${field} is missing`)}>
            show {rows === 1 ? 'it' : 'them'}
          </button>
        </p>
      ))}
    </div>
  );
