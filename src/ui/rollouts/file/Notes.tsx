import { useEffect, useRef, useState } from 'react';
import type { MatchingRow } from '../../../lab/contract/rollouts.ts';
import { type Mark, BOOKMARK } from '../../../lab/contract/records/rollout-files.ts';
import { markRollout, toggleBookmark } from '../store/browse-selection.ts';
import { useRollouts } from '../store/rollouts-store.ts';

const tagsOf = (text: string): string[] =>
  [
    ...new Set(
      text
        .split(',')
        .map((tag) => tag.trim())
        .filter((tag) => tag !== '' && tag !== BOOKMARK),
    ),
  ].slice(0, 20);

const Fields = ({ found, mark }: { found: MatchingRow; mark: Mark | undefined }) => {
  const { id } = found.row;
  const [tags, setTags] = useState((mark?.tags ?? []).join(', '));
  const [note, setNote] = useState(mark?.note ?? '');
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const keep = (): void => {
    void markRollout(id, { tags: tagsOf(tags), note: note.trim() });
  };
  return (
    <>
      <label>
        Tags{' '}
        <input
          ref={first}
          type="text"
          value={tags}
          placeholder="comma between them"
          onChange={(event) => setTags(event.currentTarget.value)}
          onBlur={keep}
          onKeyDown={(event) => event.key === 'Enter' && keep()}
        />
      </label>
      <label className="grow">
        Note{' '}
        <input
          type="text"
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          onBlur={keep}
          onKeyDown={(event) => event.key === 'Enter' && keep()}
        />
      </label>
    </>
  );
};

/** Bookmark, tags and note of the rollout at the cursor. */
export const Notes = () => {
  const notesOpen = useRollouts((state) => state.notesOpen);
  const found = useRollouts(({ cursor, rows }) => (cursor === null ? undefined : rows.get(cursor)));
  const marks = useRollouts((state) => state.marks);
  if (!notesOpen || !found) return null;
  const mark = marks.get(found.row.id);
  return (
    <section className="notes-line" aria-label="Notes on the chosen rollout">
      <button
        type="button"
        className={mark?.bookmarked ? 'star on' : 'star'}
        aria-pressed={mark?.bookmarked ?? false}
        aria-label="Bookmark"
        onClick={() => void toggleBookmark()}
      >
        {mark?.bookmarked ? '★' : '☆'}
      </button>
      <span className="fine ellipsis notes-id">{found.row.id}</span>
      <Fields key={found.row.id} found={found} mark={mark} />
      <button
        type="button"
        className="link"
        aria-label="Close the notes"
        onClick={() => useRollouts.setState({ notesOpen: false })}
      >
        ✕
      </button>
    </section>
  );
};
