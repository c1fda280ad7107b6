import type { RefObject } from 'react';
import { drawnIn } from './export-chart.ts';
import { SaveButtons } from './SaveButtons.tsx';

/** Save buttons of a chart. */
export const SaveChart = ({
  box,
  title,
}: {
  /** Element around the drawing and its labels. */
  box: RefObject<HTMLElement | null>;
  title: string;
}) => (
  <SaveButtons
    what={title}
    title={title}
    make={() => (box.current ? drawnIn(box.current, title) : null)}
  />
);
