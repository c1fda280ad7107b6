/** What the browser keeps for this site. @throws Error, in the words of the user, where it keeps nothing */
export const filesOfSite = (): StorageManager => {
  // WebKitGTK as it ships gives pages none.
  const { storage } = navigator as { storage?: StorageManager };
  if (storage) return storage;
  throw new Error(
    'this browser keeps no files for pages (it has no navigator.storage), and training, checkpoints and indexes are kept in such files. Asking and reading rollouts work without.',
  );
};
