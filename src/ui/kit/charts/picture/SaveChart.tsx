import type { RefObject } from 'react';
import { saveChart } from './export-chart.ts';

/** Two words that save the chart beside them. */
export const SaveChart = ({
  box,
  title,
}: {
  /** Element around the drawing and its labels. */
  box: RefObject<HTMLElement | null>;
  title: string;
}) => (
  <>
    {(['svg', 'png'] as const).map((format) => (
      <button
        key={format}
        type="button"
        className="link"
        aria-label={`${title}: save as ${format.toUpperCase()}`}
        onClick={() => box.current && void saveChart(box.current, title, format)}
      >
        {format}
      </button>
    ))}
  </>
);
