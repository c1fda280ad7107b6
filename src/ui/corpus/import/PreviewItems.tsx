import type { Preview } from '../../../formats/import/collect.ts';
import type { Rejection } from '../../../formats/import/values/types.ts';
import { formatCount } from '../../kit/words/format.ts';
import { Table, type Head } from '../../kit/Table.tsx';

const HEADS: readonly Head[] = [['line', 'figure'], ['key'], ['why it is rejected']];

/** Previewed questions and passages; up to 50 rejected items, because those can be fixed. */
const SHOWN = 8;

/** Position in the file, the faulty key, and what was expected. */
const RejectedTable = ({ items }: { items: readonly Rejection[] }) => (
  <Table className="preview-table" heads={HEADS}>
    {items.map(({ line, item, key, expected }, index) => (
      <tr key={index}>
        {/* Formats without lines, such as parquet, have item numbers. */}
        <td className="figure">{line ?? `item ${item + 1}`}</td>
        <td>
          <code>{key || 'the whole item'}</code>
        </td>
        <td>{expected}</td>
      </tr>
    ))}
  </Table>
);

/** Items of one kind: `shown` of the file's `of`. */
const Group = (props: {
  title: string;
  shown: number;
  of: number;
  open: boolean;
  children: React.ReactNode;
}) => (
  <details className="preview-group" open={props.open}>
    <summary>
      {props.title}
      {props.shown < props.of ? `, the first ${formatCount(props.shown)}` : ''}
    </summary>
    {props.children}
  </details>
);

/** The first questions and passages as they would be stored, and the rejected ones. */
export const PreviewItems = ({ preview }: { preview: Preview }) => {
  const { questions, passages, rejected, progress } = preview;
  return (
    <div className="preview">
      {rejected.length > 0 ? (
        <Group title="Rejected" shown={Math.min(50, rejected.length)} of={progress.rejected} open>
          <RejectedTable items={rejected.slice(0, 50)} />
        </Group>
      ) : null}
      {questions.length > 0 ? (
        <Group
          title="Questions"
          shown={Math.min(SHOWN, questions.length)}
          of={progress.questions}
          open
        >
          <ol className="preview-list">
            {questions
              .slice(0, SHOWN)
              .map(({ id, text, answers, supporting, type, sourceType }) => (
                <li key={id}>
                  {text} <b>{answers.join(' / ')}</b>{' '}
                  <span className="fine">
                    {[
                      id,
                      sourceType ?? type,
                      supporting.length > 0 && `needs ${supporting.join(', ')}`,
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </span>
                </li>
              ))}
          </ol>
        </Group>
      ) : null}
      {passages.length > 0 ? (
        <Group
          title="Passages"
          shown={Math.min(SHOWN, passages.length)}
          of={progress.passages}
          open={questions.length === 0}
        >
          <ol className="preview-list">
            {passages.slice(0, SHOWN).map(({ passage: { id, title, text } }) => (
              <li key={id}>
                <b>{title || 'untitled'}</b> <span className="fine">{id}</span>
                <div className="clamp">{text}</div>
              </li>
            ))}
          </ol>
        </Group>
      ) : null}
    </div>
  );
};
