import { createTurns } from '../../base/turns.ts';

/** The result folder of a cluster run: files by path. */

/** Nothing can be made of it; the message is for people, and says what to do. */
export class AdoptError extends Error {
  override readonly name = 'AdoptError';
}

export interface AdoptFile {
  /** With slashes, relative to whatever was given. */
  readonly path: string;
  readonly blob: Blob;
}

export const EXPERIMENT = 'experiment.json';

/** Where check.sh of an exported folder works: rollouts and adapters of its proof, not of the experiment. */
const PROOF = 'check/';

const partsOf = (path: string): string[] => path.split('/');
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
/** Empty at the top. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const inFolder = (folder: string, name: string): string =>
  folder === '' ? name : `${folder}/${name}`;

/** The files of one experiment, by their paths below the folder that holds `experiment.json`. */
export class AdoptFolder {
  readonly #files: ReadonlyMap<string, Blob>;
  /** Called between two pieces of work. @throws the signal's reason when reading should stop */
  readonly turn: () => Promise<void>;

  private constructor(files: ReadonlyMap<string, Blob>, signal: AbortSignal | undefined) {
    this.#files = files;
    this.turn = createTurns(signal);
  }

  /**
   * @param given files of a folder, an archive, or several picked ones
   * @param signal stops the reading of them
   * @throws AdoptError without `experiment.json`
   */
  static of(given: readonly AdoptFile[], signal?: AbortSignal): AdoptFolder {
    const files = given.filter(({ path }) => !partsOf(path).some((part) => part === '..'));
    const found = files
      .filter(({ path }) => nameOf(path) === EXPERIMENT)
      .toSorted((a, b) => partsOf(a.path).length - partsOf(b.path).length)[0];
    if (!found)
      throw new AdoptError(
        `${EXPERIMENT} is missing; it describes the experiment. Add the results to the folder that ` +
          '“Take it to a cluster” or “lab export” wrote, and import that folder.',
      );
    const root = folderOf(found.path);
    const prefix = root === '' ? '' : `${root}/`;
    return new AdoptFolder(
      new Map(
        files.flatMap(({ path, blob }) =>
          path.startsWith(prefix) && !path.startsWith(prefix + PROOF)
            ? [[path.slice(prefix.length), blob]]
            : [],
        ),
      ),
      signal,
    );
  }

  get paths(): string[] {
    return [...this.#files.keys()].toSorted();
  }

  /** Paths that the pattern finds, and what its groups hold. */
  matching(pattern: RegExp): { path: string; groups: string[] }[] {
    return this.paths.flatMap((path) => {
      const match = pattern.exec(path);
      return match ? [{ path, groups: match.slice(1) }] : [];
    });
  }

  blob(path: string): Blob | null {
    return this.#files.get(path) ?? null;
  }

  async bytes(path: string): Promise<Uint8Array<ArrayBuffer> | null> {
    await this.turn();
    const blob = this.blob(path);
    return blob ? new Uint8Array(await blob.arrayBuffer()) : null;
  }

  async text(path: string): Promise<string | null> {
    await this.turn();
    return (await this.blob(path)?.text()) ?? null;
  }
}
