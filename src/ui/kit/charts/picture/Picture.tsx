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
  /** Extra class. */
  className?: string;
  /** How to read it, shown on hover over the title. */
  hint?: string;
  /** What is drawn and how to read it, in a sentence or two; also in saved files. */
  note?: ReactNode;
  /** What a click does, after the note; only on the page. */
  does?: string;
  /** Why there is nothing to draw; null if there is. */
  empty: ReactNode;
  /** The drawing, once its width in pixels is known. */
  renderPicture: (width: number) => ReactNode;
  /** The numbers as a table. */
  renderTable: () => ReactNode;
  /** Options, above the drawing. */
  controls?: ReactNode;
  /** Content below the drawing and the table; explanations with `data-legend` are also in saved files. */
  foot?: ReactNode;
}

/** A separate component, so that errors while drawing are caught around it. */
const Drawing = ({ render, width }: { render: (width: number) => ReactNode; width: number }) =>
  render(width);

/** A picture with its title, save buttons and table. */
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
