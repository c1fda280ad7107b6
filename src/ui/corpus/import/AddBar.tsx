import { Button, Textarea, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { PickButton } from '../../kit/PickButton.tsx';
import { offerFiles, offerUrl } from '../store/collections-actions.ts';
import { pickedFiles, type Gathered } from './dropped-files.ts';

/** Passes files to the preview; nothing is stored yet. */
export const offerGathered = ({ files, leftOut, folder }: Gathered): void =>
  offerFiles(files, leftOut, folder);

const offerPicked = (files: File[]): void => offerGathered(pickedFiles(files));

/** Fetches a file from an address; the form stays open if that fails. */
const FromUrl = ({ close }: { close: () => void }) => {
  const [url, setUrl] = useState('');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void offerUrl(url).then((ok) => ok && close());
  };
  return (
    <form className="form-line" onSubmit={onSubmit}>
      <TextInput
        size="xs"
        className="grow"
        label="Address of a file"
        placeholder="https://…"
        data-autofocus
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <Button size="xs" type="submit" disabled={url.trim() === ''}>
        Fetch
      </Button>
    </form>
  );
};

/** Pasted text as an unnamed file; its format is detected as usual. */
const Paste = ({ close }: { close: () => void }) => {
  const [text, setText] = useState('');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const file = new Blob([text]);
    offerFiles([{ file, name: 'pasted', origin: { kind: 'paste' } }]);
    close();
  };
  return (
    <form className="paste-form" onSubmit={onSubmit}>
      <Textarea
        size="xs"
        label="Text, Markdown, JSON lines, CSV …"
        autosize
        minRows={4}
        maxRows={16}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button size="xs" type="submit" disabled={text.trim() === ''}>
        Preview
      </Button>
    </form>
  );
};

/** Import from files, a folder, an address or the clipboard; the page handles drops. */
export const AddBar = () => {
  const [open, setOpen] = useState<'url' | 'paste' | null>(null);
  const toggle = (which: 'url' | 'paste') => setOpen(open === which ? null : which);
  return (
    <>
      <div className="add-bar">
        <PickButton field="Files to import" size="xs" variant="default" onFiles={offerPicked}>
          Choose files
        </PickButton>
        <PickButton
          field="Folder to import"
          folder
          size="xs"
          variant="default"
          onFiles={offerPicked}
        >
          Choose a folder
        </PickButton>
        <Button
          size="xs"
          variant="default"
          aria-expanded={open === 'url'}
          onClick={() => toggle('url')}
        >
          From an address
        </Button>
        <Button
          size="xs"
          variant="default"
          aria-expanded={open === 'paste'}
          onClick={() => toggle('paste')}
        >
          Paste
        </Button>
        <span className="fine wide-only">or drop files and folders anywhere on this page</span>
      </div>
      {open === 'url' ? <FromUrl close={() => setOpen(null)} /> : null}
      {open === 'paste' ? <Paste close={() => setOpen(null)} /> : null}
    </>
  );
};
