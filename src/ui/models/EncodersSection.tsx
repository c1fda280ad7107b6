import { Button } from '@mantine/core';
import { useEffect } from 'react';
import { Link } from 'wouter';
import type { EncoderFacts } from '../../lab/contract/encoders.ts';
import { formatBytes, formatCount } from '../kit/words/format.ts';
import { FREED_LATER, UndoBar } from '../kit/UndoBar.tsx';
import {
  addEncoder,
  dismissEncoderProblem,
  readEncoders,
  removeEncoder,
  restoreEncoder,
} from './store/encoder-actions.ts';
import { useSession } from '../kit/session-store.ts';
import type { EncoderUse } from '../setup/setup-uses.ts';
import { FolderButton } from './parts/FolderButton.tsx';
import { useModels } from './store/models-store.ts';

/** Encoders and cross-encoders in ONNX, stored in this browser. */

/** An encoder or cross-encoder with its facts; it is chosen on Corpus. */
const Row = ({ encoder }: { encoder: EncoderFacts }) => (
  <li className="panel checkpoint-card">
    <div className="section-line">
      <h3 className="ellipsis">{encoder.id}</h3>
      <span className="badge">{encoder.kind === 'encoder' ? 'encoder' : 'reranker'}</span>
    </div>
    <p className="fine">
      {formatBytes(encoder.bytes)}
      {encoder.dimensions === null ? '' : ` · ${formatCount(encoder.dimensions)} dimensions`} · at
      most {formatCount(encoder.maxTokens)} tokens · {encoder.note}
    </p>
    <p className="fine">Size on disk; memory use is known once it is loaded.</p>
    <div className="checkpoint-actions">
      <Link href="/corpus">Choose it on Corpus</Link>
      <Button
        size="compact-xs"
        variant="subtle"
        aria-label={`Delete ${encoder.id}`}
        onClick={() => void removeEncoder(encoder)}
      >
        Delete
      </Button>
    </div>
  </li>
);

/** Effect of its deletion, appended to its name. */
const lostOf = (uses: readonly EncoderUse[]): string =>
  (uses.includes('encoder') ? '; the built-in encoder is used now' : '') +
  (uses.includes('reranker') ? '; results are no longer reranked' : '');

/** Deleted ones that can be restored. */
const Undo = () => {
  const removed = useModels(({ encoders }) => encoders.removed);
  return (
    <UndoBar
      removed={removed.map(({ id, uses, at }) => ({ id, name: id, lost: lostOf(uses), at }))}
      restore={(id) => void restoreEncoder(id)}
      note={FREED_LATER}
    />
  );
};

/** Encoders and cross-encoders on this device; a folder is tested before it is stored. */
export const EncodersSection = () => {
  const { encoders, adding, problem, status } = useModels((state) => state.encoders);
  const ready = useSession((state) => state.parts.world.status === 'ready');
  useEffect(() => {
    if (ready) void readEncoders();
  }, [ready]);
  return (
    <section className="cards-section" aria-labelledby="encoders">
      <div className="section-line">
        <h2 id="encoders">Encoders and rerankers</h2>
        <FolderButton
          size="compact-xs"
          variant="default"
          field="Folder of an encoder"
          onFiles={(files) =>
            void addEncoder(files.map(({ path, file }) => ({ path, blob: file })))
          }
        >
          Add a folder
        </FolderButton>
      </div>
      <div role="status">{adding ? <p>Reading and testing the folder …</p> : null}</div>
      {problem ? (
        <div className="failure" role="alert">
          <b>⚠ {problem.text}</b>
          <p>{problem.next}</p>
          <button type="button" className="link" onClick={dismissEncoderProblem}>
            Dismiss
          </button>
        </div>
      ) : null}
      <Undo />
      {encoders.length === 0 ? (
        <p className="fine">
          {status === 'waiting' ? 'Reading the list …' : 'None yet.'} A folder with an ONNX model
          and its tokenizer.json: a sentence-transformers model (MiniLM, E5, BGE) or a
          cross-encoder. Choose it on Corpus.
        </p>
      ) : (
        <ul className="checkpoints">
          {encoders.map((encoder) => (
            <Row key={encoder.id} encoder={encoder} />
          ))}
        </ul>
      )}
    </section>
  );
};
