import { useState } from 'react';
import { messageOf } from '../../../../base/errors.ts';
import { savePicture } from './export-chart.ts';
import type { Picture } from './picture.ts';

type Format = 'svg' | 'png';

const ADVICE = {
  svg: 'Try again, or read the numbers in the table.',
  png: 'It may be too large for this browser: make the window narrower, or save it as SVG.',
} as const;

/** Save buttons, and advice on failure. */
export const SaveButtons = (props: {
  /** What is saved, for the labels of the buttons. */
  what: string;
  /** Base of the file name. */
  title: string;
  hint?: string;
  /** Null if nothing is drawn. */
  make: () => Picture | null;
}) => {
  const { what, title, hint, make } = props;
  const [problem, setProblem] = useState<{ format: Format; words: string } | null>(null);
  const save = async (format: Format) => {
    setProblem(null);
    try {
      const picture = make();
      if (!picture) throw new Error('nothing is drawn');
      await savePicture(picture, title, format);
    } catch (error) {
      const name = format.toUpperCase();
      const words = `No ${name} was saved: ${messageOf(error)}. ${ADVICE[format]}`;
      setProblem({ format, words });
    }
  };
  return (
    <>
      {(['svg', 'png'] as const).map((format) => (
        <button
          key={format}
          type="button"
          className="link"
          title={hint}
          aria-label={`${what}: save as ${format.toUpperCase()}`}
          onClick={() => void save(format)}
        >
          {format}
        </button>
      ))}
      {problem === null ? null : (
        <span className="save-problem" role="alert">
          <span className="tone-bad">⚠ {problem.words}</span>{' '}
          {problem.format === 'png' ? (
            <button type="button" className="link" onClick={() => void save('svg')}>
              Save it as SVG
            </button>
          ) : null}{' '}
          <button type="button" className="link" onClick={() => setProblem(null)}>
            Dismiss
          </button>
        </span>
      )}
    </>
  );
};
