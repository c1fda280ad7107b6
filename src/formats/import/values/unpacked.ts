import { UnpackError } from '../../rollouts/container/gunzip.ts';
import { unwrap } from '../../rollouts/container/unwrap.ts';
import { ImportError } from './types.ts';

/**
 * The file itself, or what is in it where it is packed by gzip or written in UTF-16. Reading resumes at a byte,
 * so it is unpacked as a whole; the same file gives the same bytes.
 * @throws ImportError where it is packed otherwise, damaged, or too large for that
 */
export async function unpacked(file: Blob): Promise<Blob> {
  try {
    const { container, blob, read } = await unwrap(file);
    if (container.kind === 'other' && container.todo.startsWith('Unpack'))
      throw new ImportError(
        `expected a file as it is, or packed by gzip; this one is ${container.what}. ${container.todo}`,
      );
    return read ? await blob() : file;
  } catch (error) {
    if (error instanceof UnpackError) throw new ImportError(`it ${error.message}`);
    throw error;
  }
}

/** The name without the ending of gzip, which says nothing of what is in the file. */
export const unpackedName = (name: string): string => name.replace(/\.gz$/iu, '');
