import { memo } from 'react';
import { cutByMarks, type Stretch } from '../../../../evaluate/rollouts/reading/spans.ts';
import { revealHidden } from '../../../../evaluate/rollouts/reading/visible.ts';

/** A styled stretch of text. */
export interface TextMark extends Stretch {
  kind: 'answer' | 'supports' | 'fault' | 'found' | 'current' | 'clause';
  /** Its meaning, for tooltips and screen readers. */
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

/** A stretch of text with its marks. All content is text nodes; hidden characters are shown. */
export const MarkedText = memo(({ text, from = 0, to = text.length, marks }: MarkedTextProps) => (
  <>
    {cutByMarks(from, to, marks).map(({ start, end, marks: own }) =>
      piece(text.slice(start, end), own, start),
    )}
  </>
));
