/** Faults of disks and of a browser's storage: what happened, and what to do. */

export interface StorageFault {
  /** Both as parts of one sentence: without a period, and `todo` in lower case. */
  what: string;
  todo: string;
}

export const faultSentence = ({ what, todo }: StorageFault): string => `${what}; ${todo}`;

const OTHER_PLACE = 'choose another place';

/** A fault of the file system, by its code as Node gives it; null for others. */
function fileFault(thrown: object): StorageFault | null {
  const { code, path, dest, syscall } = thrown as Record<string, unknown>;
  // A copy names its source first.
  const place = [dest, path].find((one) => typeof one === 'string') ?? null;
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return {
        what: place === null ? 'The disk is full' : `The disk is full: ${place} was not written`,
        todo: 'free space on it or choose another place, then run the command again',
      };
    case 'EROFS':
      return {
        what: `${place ?? 'The folder'} is on a read-only file system`,
        todo: OTHER_PLACE,
      };
    case 'EACCES':
    case 'EPERM':
      return {
        what: `This user has no permission for ${place ?? 'the file'}`,
        todo: `change its permissions, or ${OTHER_PLACE}`,
      };
    case 'ENOENT':
      // `mkdir -p` finds no parent only where the file system is read-only, such as /proc.
      return syscall === 'mkdir' && place !== null
        ? { what: `The folder ${place} cannot be made there`, todo: OTHER_PLACE }
        : null;
    default:
      return null;
  }
}

export const STORAGE_FULL: StorageFault = {
  what: 'The browser’s storage for this site is full',
  todo: 'delete models, runs, files or collections that you no longer need, or free space on the disk, then try again; everything stored before is kept',
};

export const STORAGE_DENIED: StorageFault = {
  what: 'This browser does not let the page store anything',
  todo: 'allow cookies and site data for this page, or open it in an ordinary window, then reload; asking works without storage',
};

export const STORAGE_GONE: StorageFault = {
  what: 'The data stored for this page was deleted, in another tab or in the browser’s settings',
  todo: 'reload the page; files that you exported can be imported again',
};

export const STORAGE_BROKEN: StorageFault = {
  what: 'The browser cannot read or write its storage for this site',
  todo: 'reload the page; where that does not help, restart the browser and check that the disk has free space',
};

/** A file that a record names and the browser no longer has. */
export class StoredFileGone extends Error {
  override readonly name = 'StoredFileGone';

  constructor(options: ErrorOptions = {}) {
    super(faultSentence(STORAGE_GONE), options);
  }
}

/** What the browser's own errors say; each may be wrapped. */
const BY_NAME: Readonly<Record<string, StorageFault>> = {
  QuotaExceededError: STORAGE_FULL,
  // Databases, and locks between tabs.
  SecurityError: STORAGE_DENIED,
  StoredFileGone: STORAGE_GONE,
};

/** Names that also other parts of a browser use: they count only where Dexie wraps them. */
const OF_DATABASES: Readonly<Record<string, StorageFault>> = {
  MissingAPIError: STORAGE_DENIED,
  UnknownError: STORAGE_BROKEN,
  InvalidStateError: STORAGE_BROKEN,
};

const MOST_LINKS = 5;

interface Link {
  name: string;
  message: string;
}

/**
 * An error and those that it wraps: Dexie's as `inner` or the first of `failures`, an aborted transaction's as `cause`.
 * The causes of other errors are left out: the code that wrapped them wrote its own sentence.
 */
function linksOf(thrown: object): Link[] {
  const links: Link[] = [];
  let at: unknown = thrown;
  while (typeof at === 'object' && at !== null && links.length < MOST_LINKS) {
    const { name, message, inner, failures, cause } = at as Record<string, unknown>;
    links.push({ name: String(name), message: String(message) });
    const first: unknown = Array.isArray(failures) ? failures[0] : undefined;
    at = inner ?? first ?? (name === 'AbortError' ? cause : undefined);
  }
  return links;
}

const KNOWN = [STORAGE_FULL, STORAGE_DENIED, STORAGE_GONE, STORAGE_BROKEN] as const;

/** A fault of the browser's storage; null for others. */
function browserFault(thrown: object): StorageFault | null {
  const links = linksOf(thrown);
  // From a worker only name and message arrive: the sentence itself.
  const known = KNOWN.find((fault) => faultSentence(fault) === links[0]?.message);
  if (known) return known;
  for (const { name } of links) if (Object.hasOwn(BY_NAME, name)) return BY_NAME[name] ?? null;
  const closed = links.some(({ name }) => name === 'DatabaseClosedError');
  if (!closed && !links.some(({ name }) => /^(OpenFailed|MissingAPI)Error$/u.test(name)))
    return null;
  for (const { name, message } of links) {
    // Chromium where cookies are blocked.
    if (name === 'UnknownError' && /denied permission/u.test(message)) return STORAGE_DENIED;
    if (Object.hasOwn(OF_DATABASES, name)) return OF_DATABASES[name] ?? null;
  }
  return closed ? STORAGE_GONE : STORAGE_BROKEN;
}

/** What a fault of storage is, and what to do; null where it is another fault. */
export const storageFault = (thrown: unknown): StorageFault | null =>
  typeof thrown === 'object' && thrown !== null
    ? (fileFault(thrown) ?? browserFault(thrown))
    : null;
