import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { PiecedFile } from '../../policy/open/merged-files.ts';
import { sayProgress } from './command.ts';
import { makeFolders, namingPathLater, pathFault } from './path-fault.ts';

/** Writes a new file piece by piece; where that fails nothing is left of it. @throws UsageError where it is there already */
export async function writePieces(
  path: string,
  { name, bytes, pieces }: PiecedFile,
): Promise<void> {
  makeFolders(dirname(path));
  const file = await open(path, 'wx').catch((error: unknown) => {
    throw pathFault(path, 'written', error);
  });
  try {
    await namingPathLater(path, async () => {
      let written = 0;
      for await (const piece of pieces()) {
        await file.writeFile(piece);
        written += piece.length;
        sayProgress(`${name}: ${((100 * written) / Math.max(1, bytes)).toFixed(0)} %`);
      }
    });
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
