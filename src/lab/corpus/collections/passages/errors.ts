import { megabytes } from '../../../storage/quota.ts';

/** The browser's storage is full: what was read up to the last stored batch is kept. */
export class CollectionStorageFull extends Error {
  override readonly name = 'CollectionStorageFull';
  readonly neededBytes: number;

  constructor(neededBytes: number) {
    super(
      `The browser's storage is full: the next ${megabytes(neededBytes)} could not be written. ` +
        'All that was imported until here is kept. Delete collections or runs, then resume.',
    );
    this.neededBytes = neededBytes;
  }
}

/** What an import holds in memory has reached its bound. */
export class MemoryLimitReached extends Error {
  override readonly name = 'MemoryLineReached';

  constructor(lineBytes: number) {
    super(
      `The import holds ${megabytes(lineBytes)} to find duplicates, its bound. All that was imported ` +
        'until here is kept; import the rest as a collection of its own.',
    );
  }
}

/** The file offered to continue with is not the one that the import began with. */
export class OtherFile extends Error {
  override readonly name = 'OtherFile';

  constructor(wanted: { name: string; bytes: number }, got: { bytes: number }) {
    super(
      `This is not the file that the import began with: “${wanted.name}” had ` +
        `${wanted.bytes} bytes, this one has ${got.bytes}` +
        `${wanted.bytes === got.bytes ? ' but other contents' : ''}. Nothing was changed. ` +
        'Choose that file, or import this one as new.',
    );
  }
}

/** Another tab writes this collection. */
export class CollectionBusy extends Error {
  override readonly name = 'CollectionBusy';

  constructor() {
    super('Another tab is writing this collection. Wait for it, or stop it there.');
  }
}
