import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { CollectionView } from '../../lab/contract/collections.ts';
import { formatBytes, formatCount, plural } from '../kit/words/format.ts';
import { exportCollection, renameCollection, saveRejected } from './store/collections-actions.ts';

/** Saves when the field loses focus, or on Enter; Escape discards the typed name. */
const Name = ({ row }: { row: CollectionView }) => {
  // Null while nothing is typed: the field then shows the stored name.
  const [text, setText] = useState<string | null>(null);
  const commit = () => {
    const name = text?.trim() ?? '';
    if (name !== '' && name !== row.name) void renameCollection(row.id, name);
    setText(null);
  };
  return (
    <TextInput
      size="xs"
      label="Name"
      maxLength={200}
      value={text ?? row.name}
      onChange={(event) => setText(event.currentTarget.value)}
      // Enter commits and sets the text to null, so that the blur after it commits nothing.
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
        if (event.key === 'Escape') setText(null);
      }}
    />
  );
};

/** Edits a collection and shows its sources and exports. */
export const CollectionEditor = ({ row }: { row: CollectionView }) => {
  const { id, name, sources, sourceCount } = row;
  return (
    <div className="row-editor">
      <Name row={row} />
      <div className="whole editor-actions">
        <Button
          size="xs"
          variant="default"
          disabled={row.passages === 0}
          onClick={() => void exportCollection(id, name, 'passages')}
        >
          Passages (JSONL)
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={row.questions === 0}
          title="FlashRAG format"
          onClick={() => void exportCollection(id, name, 'questions')}
        >
          Questions (JSONL)
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={row.rejected === 0}
          title="With file, line, key and reason; at most 1,000 per file"
          onClick={() => void saveRejected(id, name)}
        >
          {plural(row.rejected, 'rejected item')} (JSONL)
        </Button>
      </div>
      <p className="whole fine">
        {plural(row.duplicates, 'duplicate')} left out. {formatBytes(row.storedBytes)} stored
        (compressed), {formatCount(row.characters)} characters. Content hash{' '}
        <code className="hash">{row.hash}</code>
      </p>
      <ul className="whole fine sources">
        {/* The record names only the first sources; the rest are counted. */}
        {sources.map(({ name, bytes, origin }, index) => (
          <li key={index}>
            {origin.kind === 'url' ? origin.url : name} ({formatBytes(bytes)})
          </li>
        ))}
        {sourceCount > sources.length ? (
          <li>and {plural(sourceCount - sources.length, 'other file')}</li>
        ) : null}
      </ul>
    </div>
  );
};
