import { useElementSize } from '@mantine/hooks';
import { useRef, useState, type ReactNode } from 'react';
import { SaveChart } from '../../kit/charts/SaveChart.tsx';

interface PictureProps {
  /** Unique on the page. */
  id: string;
  title: string;
  /** What is drawn and how it is read, in a sentence or two. */
  note: ReactNode;
  /** Why there is nothing to draw; null where there is. */
  empty: string | null;
  /** The drawing, once its width in pixels is known. */
  renderPicture: (width: number) => ReactNode;
  /** The same numbers as a table. */
  renderTable: () => ReactNode;
  /** What is chosen in it, above the drawing. */
  controls?: ReactNode;
}

/** A picture with its title, its files, and the table behind it. */
export const Picture = (props: PictureProps) => {
  const { id, title, note, empty, renderPicture, renderTable, controls } = props;
  const [asTable, setAsTable] = useState(false);
  const { ref, width } = useElementSize();
  const box = useRef<HTMLElement>(null);
  return (
    <section className="chart picture" aria-label={title} data-chart={id} ref={box}>
      <header>
        <h3>{title}</h3>
        <span className="grow" />
        {empty === null ? (
          <>
            {asTable ? null : <SaveChart box={box} title={title} />}
            <button
              type="button"
              className="link"
              aria-label={`${title}: ${asTable ? 'picture' : 'table'}`}
              onClick={() => setAsTable(!asTable)}
            >
              {asTable ? 'picture' : 'table'}
            </button>
          </>
        ) : null}
      </header>
      <p className="fine picture-note">{note}</p>
      {controls}
      {empty === null ? (
        asTable ? (
          <div className="picture-table" tabIndex={0} role="group" aria-label={`${title}, table`}>
            {renderTable()}
          </div>
        ) : (
          <div ref={ref} className="picture-box">
            {width > 0 ? renderPicture(width) : null}
          </div>
        )
      ) : (
        <p className="fine chart-empty">{empty}</p>
      )}
    </section>
  );
};
