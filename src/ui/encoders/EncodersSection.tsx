import { Button } from '@mantine/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { EncoderApi, EncoderFacts } from '../../runs/encoders/messages.ts';
import { formatBytes } from '../lib/format.ts';
import { folderFiles } from './folder-files.ts';

const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const KINDS = { encoder: 'encoder', reranker: 'cross-encoder' } as const;

const Row = ({ facts, remove }: { facts: EncoderFacts; remove: () => void }) => (
  <tr>
    <td>
      <b>{facts.id}</b>
      <div className="fine">{facts.note}</div>
    </td>
    <td>{KINDS[facts.kind]}</td>
    <td className="figure">{facts.dimensions ?? '–'}</td>
    <td className="figure">{facts.maxTokens}</td>
    <td className="figure">{formatBytes(facts.bytes)}</td>
    <td>
      <button type="button" className="link" onClick={remove}>
        Delete
      </button>
    </td>
  </tr>
);

/** Encoders and cross-encoders of this device: what is there, adding a folder, deleting with undo. */
export const EncodersSection = ({ api }: { api: EncoderApi }) => {
  const [list, setList] = useState<EncoderFacts[] | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const [removed, setRemoved] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const refresh = useCallback(
    () => api.list().then(setList, (reason: unknown) => setError(wordsOf(reason))),
    [api],
  );
  useEffect(() => void refresh(), [refresh]);
  const act = async (what: () => Promise<unknown>) => {
    setBusy(true);
    setError('');
    try {
      await what();
    } catch (reason) {
      setError(wordsOf(reason));
    } finally {
      setBusy(false);
      await refresh();
    }
  };
  const add = (files: FileList | null) => {
    if (files && files.length > 0) void act(() => api.add(folderFiles(files)));
  };
  return (
    <section aria-label="Encoders">
      <h2>Encoders and rerankers</h2>
      <p className="fine">
        A folder as sentence-transformers saves it, with the model exported to ONNX (
        <code>onnx/model.onnx</code>), or one with <code>encoder.json</code>. Cross-encoders
        (…ForSequenceClassification) order passages again. Folders stay on this device.
      </p>
      {list && list.length > 0 ? (
        <table className="corpus-table">
          <thead>
            <tr>
              <th scope="col">model</th>
              <th scope="col">kind</th>
              <th scope="col" className="figure">
                dimensions
              </th>
              <th scope="col" className="figure">
                tokens
              </th>
              <th scope="col" className="figure">
                size
              </th>
              <th scope="col">
                <span className="fine">actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {list.map((facts) => (
              <Row
                key={facts.id}
                facts={facts}
                remove={() =>
                  void act(async () => {
                    await api.remove(facts.id);
                    setRemoved(facts.id);
                  })
                }
              />
            ))}
          </tbody>
        </table>
      ) : (
        <p>Beside the built-in encoder there is none yet. Add a folder to search with it.</p>
      )}
      {removed ? (
        <p role="status">
          {removed} is deleted.{' '}
          <button
            type="button"
            className="link"
            onClick={() =>
              void act(async () => {
                await api.restore(removed);
                setRemoved(null);
              })
            }
          >
            Undo
          </button>
        </p>
      ) : null}
      {error ? (
        <p role="alert" className="tone-bad">
          ⚠ {error}
        </p>
      ) : null}
      <input
        ref={(element) => {
          input.current = element;
          // React has no property for it.
          element?.setAttribute('webkitdirectory', '');
        }}
        type="file"
        hidden
        multiple
        aria-label="Folder of an encoder"
        onChange={(event) => {
          add(event.currentTarget.files);
          event.currentTarget.value = '';
        }}
      />
      <Button variant="default" loading={busy} onClick={() => input.current?.click()}>
        Add a folder
      </Button>
    </section>
  );
};
