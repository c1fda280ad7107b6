import { rightBy } from '../../../evaluate/rollouts/basis.ts';
import { answerOf } from '../../../records/outside-answer.ts';
import type { TrainingFilm } from '../../../evaluate/training-film.ts';
import { pageOf, useMore } from '../../kit/page/use-more.tsx';
import type { FilmPlace } from './FilmPicture.tsx';

/** The same film as a table; every cell that was asked is the way into its rollout. */
export const FilmTable = (props: { film: TrainingFilm; open: (place: FilmPlace) => void }) => {
  const { film, open } = props;
  // Few rows at a time: a long run has hundreds of scores, each a cell.
  const list = useMore(film.rows, pageOf(film.steps.length));
  return (
    <div className="film-scroll" tabIndex={0} role="group" aria-label="Training film, table">
      <table className="film-table">
        <thead>
          <tr>
            <th scope="col">question</th>
            <th scope="col">gold</th>
            {film.steps.map((step) => (
              <th key={step} scope="col" className="figure">
                {step}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {list.rows.map((row, index) => (
            <tr key={row.id}>
              <th scope="row">{row.text}</th>
              <td>{row.gold}</td>
              {row.cells.map((cell, at) => (
                <td key={film.steps[at]} className="figure">
                  {cell ? (
                    <button
                      type="button"
                      className="link"
                      title={answerOf(cell)}
                      aria-label={`${rightBy(cell.em === 1, 'em')}: ${answerOf(cell)}. Open the rollout`}
                      onClick={() => open({ row: index, at })}
                    >
                      {cell.em === 1 ? '✓' : '✗'}
                    </button>
                  ) : (
                    '–'
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {list.more}
    </div>
  );
};
