import { useState } from 'react';
import type { FileRecord } from '../../../lab/contract/records/rollout-files.ts';
import { DASH } from '../../kit/words/format.ts';
import { Terms } from '../../kit/words/explain/Term.tsx';
import { useSelection } from '../store/browse-selection.ts';
import { figuresOf, firstFigures } from '../table/definitions.ts';

/**
 * Statistics of the file with definitions; a click shows the cases. With a filter: statistics of the
 * filtered rollouts, and the file's below. Five are shown, on a phone three, and all on request.
 */
export const Figures = (props: {
  file: FileRecord;
  filtered: boolean;
  /** Replaces the current filter. */
  show: (filter: string) => void;
}) => {
  const { file, filtered, show } = props;
  const { selected, fileId } = useSelection();
  const [all, setAll] = useState(false);
  const statistics = file.statistics;
  if (!statistics)
    return (
      <p className="fine">
        {file.status === 'importing'
          ? 'Statistics of the whole file appear when it is fully read; the rows read so far can be used now.'
          : 'The file was only read in part, so there are no statistics. Open it again to read all of it.'}
      </p>
    );
  const passing =
    filtered && selected && fileId === file.id
      ? new Map(figuresOf(selected.statistics).map((one) => [one.id, one]))
      : null;
  const figures = figuresOf(statistics);
  const few = firstFigures(figures);
  return (
    <>
      <dl className={all ? 'file-figures' : 'file-figures few'} data-testid="file-figures">
        {(all ? figures : few).map(({ id, name, value, more, note, filter }) => {
          const own = passing ? passing.get(id) : { value, more };
          const shown = `${own?.value ?? DASH} ${own?.more ?? ''}`;
          return (
            <div key={id} data-figure={id}>
              <dt title={note}>
                <Terms>{name}</Terms>
              </dt>
              <dd>
                <button
                  type="button"
                  className="figure-button"
                  title={`${note}\nClick to filter: ${filter}`}
                  aria-label={`${name}: ${shown}${passing ? `, whole file ${value}` : ''}. Show the cases`}
                  onClick={() => show(filter)}
                >
                  <b>{own?.value ?? DASH}</b> <span className="fine">{own?.more}</span>
                </button>
              </dd>
              {passing ? <dd className="fine figure-all">all: {value}</dd> : null}
            </div>
          );
        })}
      </dl>
      {figures.length > few.length ? (
        <button
          type="button"
          className="link figures-toggle"
          aria-expanded={all}
          onClick={() => setAll(!all)}
        >
          {all ? 'Fewer numbers' : `All ${figures.length} numbers`}
        </button>
      ) : null}
    </>
  );
};
