/** An exported folder as a list of files: the command line writes a directory of it, the page an archive. */

export interface FolderFile {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
  /** Whether a shell may start it. */
  readonly executable: boolean;
}

export interface TextFile extends FolderFile {
  readonly content: string;
}

export const textFile = (path: string, content: string, executable = false): TextFile => ({
  path,
  content: content.endsWith('\n') ? content : `${content}\n`,
  executable,
});

export const jsonFile = (path: string, value: unknown): FolderFile =>
  textFile(path, JSON.stringify(value, null, 2));

/** One JSON value a line. */
export const linesFile = (path: string, values: readonly unknown[]): TextFile =>
  textFile(path, values.map((value) => `${JSON.stringify(value)}\n`).join(''));

/** Reads a file that the export copies, by its path below `src/handover/files`. */
export type ReadSource = (path: string) => Promise<string>;

/** Copies of such files, under their own names; a shell may start those that end in `.sh`. */
export const copies = (read: ReadSource, paths: readonly string[]): Promise<FolderFile[]> =>
  Promise.all(
    paths.map(async (path) => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      return textFile(name, await read(path), name.endsWith('.sh'));
    }),
  );
