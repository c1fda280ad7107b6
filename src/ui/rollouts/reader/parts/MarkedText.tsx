import { memo } from 'react';
import { cutByMarks, type Stretch } from '../../../../evaluate/rollouts/reading/spans.ts';
import { revealHidden } from '../../../../evaluate/rollouts/reading/visible.ts';

/** A stretch that is drawn in its own way. */
export interface TextMark extends Stretch {
  kind: 'answer' | 'supports' | 'fault' | 'found' | 'current' | 'clause';
  /** What it is, for people who point at it or do not see it. */
  title: string;
}

const piece = (text: string, marks: readonly TextMark[], key: number) => {
  const shown = revealHidden(text);
  if (marks.length === 0) return shown;
  const kinds = [...new Set(marks.map(({ kind }) => `is-${kind}`))];
  const title = [...new Set(marks.map((mark) => mark.title))].join('; ');
  return (
    <mark key={key} className={kinds.join(' ')} title={title}>
      {shown}
    </mark>
  );
};

interface MarkedTextProps {
  text: string;
  from?: number;
  to?: number;
  marks: readonly TextMark[];
}

/** A stretch of text with its marks. Everything of it is a text node; hidden characters are shown. */
export const MarkedText = memo(({ text, from = 0, to = text.length, marks }: MarkedTextProps) => (
  <>
    {cutByMarks(from, to, marks).map(({ start, end, marks: own }) =>
      piece(text.slice(start, end), own, start),
    )}
  </>
));
