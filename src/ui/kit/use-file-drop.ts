import { useState, type DragEvent } from 'react';
import { isGgufName } from '../../formats/gguf.ts';

/** The dropped GGUF model, which no page accepts; null if other files came with it. */
export const ggufOf = ({ files }: DataTransfer): string | null =>
  [...files].every(({ name }) => isGgufName(name)) ? (files[0]?.name ?? null) : null;

/**
 * Files and folders dropped anywhere on an element. `take` must read them at once. A GGUF model is left to
 * `StrayDrop`, which says what to do with it.
 */
export const useFileDrop = (take: (dropped: DataTransfer) => void) => {
  const [over, setOver] = useState(false);
  const isFile = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  return {
    over,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!isFile(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        // Moving onto a child element is not leaving.
        const to = event.relatedTarget;
        if (!(to instanceof Node) || !event.currentTarget.contains(to)) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        setOver(false);
        if (!isFile(event) || ggufOf(event.dataTransfer)) return;
        event.preventDefault();
        take(event.dataTransfer);
      },
    },
  };
};
