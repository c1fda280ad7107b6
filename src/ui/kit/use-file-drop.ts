import { useState, type DragEvent } from 'react';

/** Files and folders dropped anywhere on an element. `take` must read them at once. */
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
        // Leaving for an element inside is no leaving.
        const to = event.relatedTarget;
        if (!(to instanceof Node) || !event.currentTarget.contains(to)) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        setOver(false);
        if (!isFile(event)) return;
        event.preventDefault();
        take(event.dataTransfer);
      },
    },
  };
};
