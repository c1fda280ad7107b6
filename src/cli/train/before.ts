import { writeRun, type RunFile } from './folder.ts';

/**
 * What was said of what a run made before its first step: how its warm-up went, what its start learnt from. It is in
 * the run's folder from the snapshot on that has it; what is made again after a kill is said again.
 */
export class BeforeLines {
  readonly #run: string;
  readonly #file: RunFile;
  #lines: readonly string[];
  #kept: readonly string[];

  /** @param begun whether a snapshot is gone on from */
  constructor(run: string, file: RunFile, begun: boolean) {
    this.#run = run;
    this.#file = file;
    this.#kept = file.before ?? [];
    this.#lines = begun ? this.#kept : [];
  }

  /** Adds a line, once. */
  note(line: string): void {
    if (!this.#lines.includes(line)) this.#lines = [...this.#lines, line];
  }

  /** To be called before the snapshot that the lines are of. */
  keep(): void {
    if (this.#lines.join('\n') === this.#kept.join('\n')) return;
    writeRun(this.#run, { ...this.#file, before: [...this.#lines] });
    this.#kept = this.#lines;
  }
}

/** What the folder of a run says of it, as it is opened. */
export const sayBefore = ({ before = [] }: RunFile, say: (line: string) => void): void => {
  for (const line of before) say(`before its first step: ${line}`);
};
