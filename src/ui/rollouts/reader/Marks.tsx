import { Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { MarkState } from './store/use-mark.ts';

const TagField = ({ add }: { add: (tag: string) => void }) => {
  const [text, setText] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') add(text.trim());
        setText('');
      }}
    >
      <TextInput
        size="xs"
        className="tag-field"
        aria-label="Add a tag"
        placeholder="add a tag"
        maxLength={60}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </form>
  );
};

/** Bookmark, tags and note; stored by the file's name, so that they survive another import. */
export const Marks = ({ mark }: { mark: MarkState }) => {
  const { value, change, failure } = mark;
  const [noting, setNoting] = useState(false);
  const open = noting || value.note !== '';
  return (
    <div className="marks">
      <button
        type="button"
        className="link"
        aria-pressed={value.bookmarked}
        onClick={() => change({ bookmarked: !value.bookmarked })}
      >
        {value.bookmarked ? '★ bookmarked (b)' : '☆ bookmark (b)'}
      </button>
      {value.tags.map((tag) => (
        <span key={tag} className="badge">
          {tag}{' '}
          <button
            type="button"
            className="link"
            aria-label={`Remove the tag ${tag}`}
            onClick={() => change({ tags: value.tags.filter((other) => other !== tag) })}
          >
            ✕
          </button>
        </span>
      ))}
      <TagField
        add={(tag) => {
          if (!value.tags.includes(tag)) change({ tags: [...value.tags, tag] });
        }}
      />
      {open ? (
        <Textarea
          size="xs"
          className="note-field"
          aria-label="Note"
          placeholder="Note"
          autosize
          maxRows={6}
          value={value.note}
          onChange={(event) => change({ note: event.currentTarget.value })}
        />
      ) : (
        <button type="button" className="link" onClick={() => setNoting(true)}>
          add a note
        </button>
      )}
      {failure === null ? null : (
        <span role="alert" className="tone-bad">
          ⚠ The note was not saved: {failure}
        </span>
      )}
    </div>
  );
};
