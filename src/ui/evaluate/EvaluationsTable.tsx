import { Button, TextInput } from '@mantine/core';
import { Fragment, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { EvaluationRecord } from '../../lab/contract/records/evaluations.ts';
import { BelowRow, ListTable, RowActions } from '../kit/ListTable.tsx';
import { formatCount, formatDayTime, plural } from '../kit/words/format.ts';
import { EvaluationBadge } from './result/status.tsx';
import { downloadEvaluation, downloadTable, removeEvaluation } from './store/evaluate-actions.ts';
import { formatEvaluateAddress, NEW_EVALUATION } from './store/evaluate-address.ts';
import { useEvaluateDraft } from './store/evaluate-draft.ts';
import { useRename } from './store/use-rename.ts';

/**
 * Heads with their classes; `wide-only` columns are hidden on narrow screens, `visually` is only for
 * screen readers.
 */
const HEADS = [
  ['name', ''],
  ['status', ''],
  ['systems', 'figure wide-only'],
  ['rollouts', 'figure'],
  ['created', 'wide-only'],
  ['actions', 'visually'],
] as const;

/** Below an opened row: rename, export, or start a new evaluation with its settings. */
const Editor = ({ record }: { record: EvaluationRecord }) => {
  const { text, setText, commit } = useRename(record);
  const [, go] = useLocation();
  const again = () => {
    // Without the name: new evaluations are named automatically, and two with one name would be ambiguous.
    useEvaluateDraft.setState({ spec: record.spec, name: '' });
    go(NEW_EVALUATION);
  };
  return (
    <div className="row-editor">
      <TextInput
        size="xs"
        label="Name"
        maxLength={200}
        value={text ?? record.name}
        onChange={(event) => setText(event.currentTarget.value)}
        // Enter commits and sets the text to null, so that the blur after it commits nothing.
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
          if (event.key === 'Escape') setText(null);
        }}
      />
      <div className="whole editor-actions">
        <Button size="xs" variant="default" onClick={() => void downloadEvaluation(record.id)}>
          Export (JSON, can be run again)
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => void downloadTable(record.id, 'markdown', { times: true })}
        >
          Table (Markdown)
        </Button>
        <Button size="xs" variant="default" onClick={again}>
          New with these settings
        </Button>
      </div>
    </div>
  );
};

/** All evaluations in this browser, newest first. */
export const EvaluationsTable = ({ records }: { records: readonly EvaluationRecord[] }) => {
  const [opened, setOpened] = useState<string | null>(null);
  return (
    <ListTable name="Evaluations" heads={HEADS}>
      {records.map((record) => (
        <Fragment key={record.id}>
          <tr data-evaluation={record.id}>
            <td className="row-name">
              <Link href={formatEvaluateAddress(record.id)}>{record.name}</Link>
            </td>
            <td>
              <EvaluationBadge status={record.status} />
            </td>
            <td className="figure wide-only">
              {plural(record.spec.systems.length, 'system')}
              {record.spec.policies.length > 1
                ? ` × ${plural(record.spec.policies.length, 'policy', 'policies')}`
                : ''}
            </td>
            <td className="figure" data-label="rollouts">
              {/* Unknown before it is planned. */}
              {formatCount(record.done)} / {record.planned > 0 ? formatCount(record.planned) : '…'}
              {record.failed > 0 ? (
                <span className="tone-bad"> · ⚠ {formatCount(record.failed)}</span>
              ) : null}
            </td>
            <td className="wide-only fine">
              <time dateTime={record.createdAt}>{formatDayTime(record.createdAt)}</time>
            </td>
            <td>
              <RowActions
                name={record.name}
                open={opened === record.id}
                toggle={() => setOpened(opened === record.id ? null : record.id)}
                remove={() => void removeEvaluation(record.id)}
                busy={record.status === 'running'}
              />
            </td>
          </tr>
          {opened === record.id ? (
            <BelowRow heads={HEADS}>
              <Editor record={record} />
            </BelowRow>
          ) : null}
        </Fragment>
      ))}
    </ListTable>
  );
};
