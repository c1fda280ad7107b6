/** Faults of disks and of a browser's storage: what happened, and what to do. */

export interface StorageFault {
  what: string;
  todo: string;
}

/** A fault of the file system, by its code as Node gives it; null for others. */
function fileFault(thrown: object): StorageFault | null {
  const { code, path, syscall } = thrown as { code?: unknown; path?: unknown; syscall?: unknown };
  const place = typeof path === 'string' ? path : null;
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return {
        what: place === null ? 'The disk is full.' : `The disk is full: ${place} was not written.`,
        todo: 'Free some space on it, then run the command again; what was written before is kept.',
      };
    case 'EROFS':
      return {
        what: `${place ?? 'The folder'} is on a read-only file system.`,
        todo: 'Choose another place.',
      };
    case 'EACCES':
    case 'EPERM':
      return {
        what: `This user has no permission for ${place ?? 'the file'}.`,
        todo: 'Change its permissions, or choose another place.',
      };
    case 'ENOENT':
      // `mkdir -p` finds no parent only where the file system is read-only.
      return syscall === 'mkdir' && place !== null
        ? {
            what: `The folder ${place} could not be made, as on a read-only file system.`,
            todo: 'Choose another place.',
          }
        : null;
    default:
      return null;
  }
}

export const STORAGE_FULL: StorageFault = {
  what: 'The browser’s storage for this site is full.',
  todo: 'Delete models, runs, files or collections that you no longer need, or free space on the disk, then try again; what was stored before is kept.',
};

export const STORAGE_DENIED: StorageFault = {
  what: 'This browser lets the page store nothing.',
  todo: 'Allow cookies and site data for this page, or open it in an ordinary window, then load it again; asking works without storage.',
};

export const STORAGE_GONE: StorageFault = {
  what: 'What was stored for this page was deleted, in another tab or in the settings of the browser.',
  todo: 'Load the page again; files that you exported can be imported.',
};

/** A file that a record names and the browser no longer has. */
export class StoredFileGone extends Error {
  override readonly name = 'StoredFileGone';

  constructor(options: ErrorOptions = {}) {
    super(`${STORAGE_GONE.what} ${STORAGE_GONE.todo}`, options);
  }
}

const FAULTS: Readonly<Record<string, StorageFault>> = {
  QuotaExceededError: STORAGE_FULL,
  SecurityError: STORAGE_DENIED,
  DatabaseClosedError: STORAGE_GONE,
  StoredFileGone: STORAGE_GONE,
};

/** Errors that wrap another one: Dexie's as `inner`, those of aborted transactions as `cause`. */
const MOST_CAUSES = 5;

/** A fault of the browser's storage, by the names of its errors; null for others. */
function browserFault(thrown: object): StorageFault | null {
  let at: unknown = thrown;
  for (let depth = 0; depth < MOST_CAUSES && typeof at === 'object' && at !== null; depth++) {
    const { name, message, inner, cause } = at as Record<string, unknown>;
    const fault = FAULTS[String(name)];
    if (fault) return fault;
    // What Chromium says where cookies are blocked.
    if (name === 'UnknownError' && /denied permission/u.test(String(message)))
      return STORAGE_DENIED;
    at = inner ?? cause;
  }
  return null;
}

/** What a fault of storage is, and what to do; null where it is another fault. */
export const storageFault = (thrown: unknown): StorageFault | null =>
  typeof thrown === 'object' && thrown !== null
    ? (fileFault(thrown) ?? browserFault(thrown))
    : null;
