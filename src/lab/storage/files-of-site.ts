/** What is missing, what needs it, and what to do. */
export const NO_FILES =
  'this browser keeps no files for pages (it has no navigator.storage), and training, checkpoints and indexes are kept in such files. Open this page in Firefox, Chrome, Edge or Safari for them; asking and reading rollouts work here too';

/** Whether the browser keeps files for this site at all. WebKitGTK as it ships gives pages none. */
export const keepsFiles = (): boolean => 'storage' in navigator;

/** What the browser keeps for this site. @throws Error, in the words of the user, where it keeps nothing */
export const filesOfSite = (): StorageManager => {
  if (keepsFiles()) return navigator.storage;
  throw new Error(`${NO_FILES}.`);
};

/**
 * The folder of this site's files.
 * @throws Error, in the words of the user, where there is none; private windows of some browsers refuse it
 */
export const folderOfSite = async (): Promise<FileSystemDirectoryHandle> => {
  const files = filesOfSite();
  try {
    return await files.getDirectory();
  } catch (error) {
    throw new Error(
      `this browser opens no files for this page (${String(error)}), as in a private window: training, checkpoints and indexes are kept in such files. Open the page in an ordinary window for them.`,
      { cause: error },
    );
  }
};
