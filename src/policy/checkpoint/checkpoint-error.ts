import { messageOf } from '../../base/errors.ts';

/** Names inside damaged files may hold anything; a message stays one readable line. */
export const oneLine = (text: string): string =>
  text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 600);

/** A checkpoint that cannot be used; the message names the file and says what to do. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  readonly file: string;
  /** What to do, one sentence without its full stop. */
  readonly remedy: string;

  constructor(file: string, problem: string, remedy: string) {
    super(`${file}: ${oneLine(problem)}. ${remedy}`);
    this.file = file;
    this.remedy = remedy;
  }
}

export const AGAIN = 'Download or export the checkpoint again';

/** Runs a parser over a file; what it throws is reported as a fault of the file. */
export function parsed<T>(file: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    const reason = messageOf(error);
    throw new CheckpointError(
      file,
      reason.startsWith(`${file}: `) ? reason.slice(file.length + 2) : reason,
      AGAIN,
    );
  }
}

/** @throws Error where the bytes are no JSON object */
export function parseJson(bytes: Uint8Array): object {
  let json: unknown;
  try {
    // The copy is for browsers, which refuse to decode from shared memory.
    json = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes)));
  } catch (error) {
    throw new Error(`it is not JSON (${messageOf(error)})`, { cause: error });
  }
  if (typeof json !== 'object' || json === null) throw new Error('it holds no JSON object');
  return json;
}
