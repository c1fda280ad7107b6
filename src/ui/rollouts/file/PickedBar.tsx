import { Button, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { BOOKMARK, type FileRecord } from '../../../lab/contract/records/rollout-files.ts';
import type { BrowseResult } from '../../../lab/contract/rollouts.ts';
import { lab } from '../../lab/connection.ts';
import { formatCount, plural } from '../../kit/words/format.ts';
import { attempt } from '../store/browse-actions.ts';
import { readerPath } from '../store/browse-address.ts';
import { markPicked, pickAll } from '../store/browse-selection.ts';
import { ExportMenu } from './Menus.tsx';
import { useRollouts } from '../store/rollouts-store.ts';

/** What can be done with all checked rollouts at once; nothing while none is checked. */
export const PickedBar = (props: {
  file: FileRecord;
  selected: BrowseResult;
  columns: readonly string[];
}) => {
  const { file, selected, columns } = props;
  const picked = useRollouts((state) => state.picked);
  const [, go] = useLocation();
  const [tag, setTag] = useState('');
  const [said, setSaid] = useState('');
  if (picked.size === 0) return null;
  const word = tag.trim();
  const addTag = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (word === '' || word === BOOKMARK) return;
    await markPicked(({ tags }) => ({ tags: [...new Set([...tags, word])] }));
    setSaid(`${plural(picked.size, 'rollout')} tagged “${word}”`);
    setTag('');
  };
  const bookmark = async (): Promise<void> => {
    await markPicked(() => ({ bookmarked: true }));
    setSaid(`${plural(picked.size, 'rollout')} bookmarked`);
  };
  const beside = (): void =>
    void attempt('The rollouts could not be opened', async () => {
      const [a, b] = await lab().rollouts.ids(file.id, [...picked]);
      if (a === undefined || b === undefined) return;
      go(readerPath(file.id, a, `?view=diff&with=${encodeURIComponent(b)}`));
    });
  const all = selected.order.length;
  return (
    <div className="picked-bar" role="group" aria-label="Selected rollouts">
      <b>{formatCount(picked.size)} selected</b>
      <form className="view-form" onSubmit={(event) => void addTag(event)}>
        <TextInput
          size="xs"
          aria-label="Tag for the selected rollouts"
          placeholder="Tag"
          maxLength={60}
          value={tag}
          onChange={(event) => setTag(event.currentTarget.value)}
        />
        <Button size="compact-xs" variant="default" type="submit" disabled={word === ''}>
          Add tag
        </Button>
      </form>
      <Button size="compact-xs" variant="default" onClick={() => void bookmark()}>
        Bookmark
      </Button>
      <ExportMenu
        name="Export selected"
        file={file}
        selected={{ ...selected, order: selected.order.filter((at) => picked.has(at)) }}
        columns={columns}
      />
      <Button
        size="compact-xs"
        variant="default"
        disabled={picked.size !== 2}
        title={picked.size === 2 ? undefined : 'Select exactly two rollouts'}
        onClick={beside}
      >
        Compare two side by side
      </Button>
      {picked.size < all ? (
        <button type="button" className="link" onClick={() => pickAll(true)}>
          Select all {formatCount(all)}
        </button>
      ) : null}
      <button type="button" className="link" onClick={() => pickAll(false)}>
        Clear
      </button>
      <span className="fine" role="status">
        {said}
      </span>
    </div>
  );
};
