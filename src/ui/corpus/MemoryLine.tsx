import { MEMORY_LIMIT } from '../../lab/corpus/collections/passages/memory-limit.ts';
import { formatBytes } from '../kit/words/format.ts';
import { useCollections } from './store/collections-store.ts';
import { useMemory } from './use-memory.ts';

/** Memory of the page, and the share that an import may use. */
export const MemoryLine = () => {
  const importing = useCollections(({ job }) => job?.kind === 'import');
  const held = useCollections(({ job }) => job?.progress?.heldBytes ?? null);
  // Polled only during an import: measuring all workers is expensive.
  const memory = useMemory(importing);
  return (
    <span className="fine" data-testid="memory">
      {memory.kind === 'measured' ? (
        <span title="Measured by the browser, workers included">
          memory <b>{formatBytes(memory.bytes)}</b>
        </span>
      ) : memory.kind === 'heap' ? (
        <span title="JavaScript heap of the page; this browser does not report that of workers">
          memory <b>{formatBytes(memory.bytes)}</b> without workers
        </span>
      ) : (
        'memory: unknown in this browser'
      )}
      {held === null ? null : (
        <span title="Ids and hashes for finding duplicates, and the current batch; files are streamed">
          {' '}
          · the import uses ≈ {formatBytes(held)} of at most {formatBytes(MEMORY_LIMIT)}
        </span>
      )}
    </span>
  );
};
