import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { ggufOf } from '../kit/use-file-drop.ts';
import { plainFiles } from '../models/parts/folder-files.ts';
import { lookLocal } from '../models/store/checkpoint-actions.ts';

/** Pages that accept files, and which. */
const DROP_PAGES = [
  { path: '/rollouts', name: 'Rollouts', accepts: 'rollouts of any framework' },
  { path: '/corpus', name: 'Corpus', accepts: 'passages and questions' },
  { path: '/runs', name: 'Runs', accepts: 'training runs, local or from a cluster' },
  { path: '/models', name: 'Models', accepts: 'models: GGUF files and folders' },
] as const;

const Hide = ({ hide }: { hide: () => void }) => (
  <button type="button" className="link" aria-label="Hide this message" onClick={hide}>
    ✕
  </button>
);

/**
 * Handles files dropped on a page that accepts none. The browser would open such a file instead of the
 * app, and stop what is running; this prevents it and names the pages that accept files.
 */
export const StrayDrop = () => {
  /** Name of the first file and number of files of the last drop; null after dismissal. */
  const [stray, setStray] = useState<{ name: string; count: number; gguf: File[] | null } | null>(
    null,
  );
  useEffect(() => {
    // Pages that accept a drop have called preventDefault by then, because React listens at the root.
    const mine = ({ dataTransfer, defaultPrevented }: DragEvent): DataTransfer | null =>
      !defaultPrevented && dataTransfer?.types.includes('Files') ? dataTransfer : null;
    const onDragOver = (event: DragEvent) => {
      if (mine(event)) event.preventDefault();
    };
    const onDrop = (event: DragEvent) => {
      const transfer = mine(event);
      // An accepted drop clears the message of the previous one.
      if (event.dataTransfer?.types.includes('Files') && !transfer) setStray(null);
      if (!transfer) return;
      event.preventDefault();
      const { files } = transfer;
      setStray({ name: files[0]?.name ?? '', count: files.length, gguf: ggufOf(transfer) });
    };
    window.addEventListener('dragover', onDragOver);
    window.addEventListener('drop', onDrop);
    return () => {
      window.removeEventListener('dragover', onDragOver);
      window.removeEventListener('drop', onDrop);
    };
  }, []);
  const hide = () => setStray(null);
  if (!stray) return null;
  const more = stray.count > 1 ? ` and ${stray.count - 1} more` : '';
  const { gguf } = stray;
  if (gguf)
    return (
      <div className="stray-drop" role="alert">
        <span>
          “{stray.name}”{more} is a model.
        </span>
        <Link
          href="/models"
          onClick={() => {
            hide();
            void lookLocal(plainFiles(gguf));
          }}
        >
          Open it on Models
        </Link>
        <Hide hide={hide} />
      </div>
    );
  return (
    <div className="stray-drop" role="alert">
      <span>
        “{stray.name}”{more} cannot be opened here. Drop it on one of these pages:
      </span>
      {DROP_PAGES.map(({ path, name, accepts }) => (
        <span key={path}>
          <Link href={path} onClick={hide}>
            {name}
          </Link>{' '}
          ({accepts})
        </span>
      ))}
      <Hide hide={hide} />
    </div>
  );
};
