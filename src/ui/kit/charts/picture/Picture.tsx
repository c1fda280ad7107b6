import { useElementSize } from '@mantine/hooks';
import { useRef, useState, type ReactNode } from 'react';
import { Guarded } from '../../page/Guarded.tsx';
import { Terms } from '../../words/explain/Term.tsx';
import { SaveChart } from './SaveChart.tsx';

interface PictureProps {
  /** Unique on the page. */
  id: string;
  title: string;
  /** Level of the title's heading. */
  heading?: 'h2' | 'h3';
  /** A class of the place that shows it. */
  className?: string;
  /** How it is read, under the pointer on the title. */
  hint?: string;
  /** What is drawn and how it is read, in a sentence or two; it is in its files too. */
  note?: ReactNode;
  /** What a click does, after the note; on the page alone. */
  does?: string;
  /** Why there is nothing to draw; null where there is. */
  empty: ReactNode;
  /** The drawing, once its width in pixels is known. */
  renderPicture: (width: number) => ReactNode;
  /** The same numbers as a table. */
  renderTable: () => ReactNode;
  /** What is chosen in it, above the drawing. */
  controls?: ReactNode;
  /** Below the drawing, and below the table; what explains the drawing has `data-legend` and is in its files too. */
  foot?: ReactNode;
}

/** A component of its own: what is thrown while it draws is caught around it. */
const Drawing = ({ render, width }: { render: (width: number) => ReactNode; width: number }) =>
  render(width);

/** A picture with its title, its files, and the table after it. */
export const Picture = (props: PictureProps) => {
  const { id, title, heading: Heading = 'h3', className, hint, note, does, empty } = props;
  const { renderPicture, renderTable, controls, foot } = props;
  const [asTable, setAsTable] = useState(false);
  const { ref, width } = useElementSize();
  const box = useRef<HTMLElement>(null);
  const drawn = empty === null;
  return (
    <section
      className={`chart picture ${className ?? ''}`}
      aria-label={title}
      data-chart={id}
      ref={box}
    >
      <header>
        <Heading title={hint}>
          <Terms>{title}</Terms>
        </Heading>
        <span className="grow" />
        {drawn && !asTable ? <SaveChart box={box} title={title} /> : null}
        {drawn ? (
          <button
            type="button"
            className="link"
            aria-label={`${title}: ${asTable ? 'picture' : 'table'}`}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? 'picture' : 'table'}
          </button>
        ) : null}
      </header>
      {note === undefined ? null : (
        <p className="fine picture-note" data-legend="">
          {typeof note === 'string' ? <Terms>{note}</Terms> : note}
          {does === undefined ? null : <span data-page-only=""> {does}</span>}
        </p>
      )}
      {controls}
      {drawn ? (
        asTable ? (
          <div className="picture-table" tabIndex={0} role="group" aria-label={`${title}, table`}>
            {renderTable()}
          </div>
        ) : (
          <div ref={ref} className="picture-box">
            {width > 0 ? (
              <Guarded name="This picture" resetKeys={[renderPicture]}>
                <Drawing render={renderPicture} width={width} />
              </Guarded>
            ) : null}
          </div>
        )
      ) : (
        <p className="fine chart-empty">{empty}</p>
      )}
      {foot}
    </section>
  );
};
