import { useRef } from 'react';
import type { CollectionView } from '../../../lab/contract/collections.ts';
import type { ImportRecord } from '../../../lab/contract/records/collections.ts';
import { formatBytes } from '../../kit/words/format.ts';
import {
  dismissImport,
  fileOf,
  resumeFromUrl,
  resumeImport,
} from '../store/collections-actions.ts';
import { useCollections } from '../store/collections-store.ts';

/** Why an import is unfinished, by its status; `open`: no tab works on it any more. */
const WORDS = {
  open: 'was interrupted',
  cancelled: 'was stopped',
  failed: 'failed',
  done: 'is done',
} as const;

/** Resumes with the file if this visit has it, else asks for it. */
const Resume = ({ record }: { record: ImportRecord }) => {
  const input = useRef<HTMLInputElement>(null);
  const busy = useCollections((state) => state.job !== null);
  const go = () => {
    const file = fileOf(record);
    if (file) void resumeImport(record, file);
    else if (record.origin.kind === 'url') void resumeFromUrl(record, record.origin.url);
    // Browsers keep no files between visits, so the user chooses it again; another file is refused.
    else input.current?.click();
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={`${record.name} again`}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          // Otherwise choosing the same file again would not fire a change event.
          event.currentTarget.value = '';
          if (file) void resumeImport(record, file);
        }}
      />
      <button
        type="button"
        className="link strong"
        disabled={busy}
        title="Continues where it stopped; you may be asked to choose the file again"
        onClick={go}
      >
        Resume
      </button>
    </>
  );
};

/** Unfinished imports of a collection. */
export const Unfinished = ({ row }: { row: CollectionView }) => {
  // This import is still running, not interrupted.
  if (row.busy) return <div className="fine">being written …</div>;
  // The others appear once these are resolved.
  return row.unfinished.slice(0, 3).map((record) => (
    <div key={record.id} className="unfinished-import" data-testid="unfinished">
      <span>
        ⚠ The import of {record.name} {WORDS[record.status]} at {formatBytes(record.readBytes)} of{' '}
        {formatBytes(record.bytes)}
        {record.failure ? `: ${record.failure}` : '.'}
      </span>{' '}
      <Resume record={record} />{' '}
      <button
        type="button"
        className="link"
        title="Passages imported so far are kept"
        onClick={() => void dismissImport(record)}
      >
        Dismiss
      </button>
    </div>
  ));
};
