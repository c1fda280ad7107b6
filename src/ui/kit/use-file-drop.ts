import { useState, type DragEvent } from 'react';
import { isGgufName } from '../../formats/gguf.ts';

/** The dropped GGUF model or its parts; null if other files came with it. */
export const ggufOf = ({ files }: DataTransfer): File[] | null =>
  files.length > 0 && [...files].every(({ name }) => isGgufName(name)) ? [...files] : null;

/**
 * Files and folders dropped anywhere on an element. `take` must read them at once.
 * @param models whether a GGUF model is taken; else it is left to `StrayDrop`, which leads to Models
 */
export const useFileDrop = (take: (dropped: DataTransfer) => void, models = false) => {
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
        if (!isFile(event) || (!models && ggufOf(event.dataTransfer))) return;
        event.preventDefault();
        take(event.dataTransfer);
      },
    },
  };
};
