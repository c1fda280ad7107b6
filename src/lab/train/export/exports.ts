import type { Trainer } from '../../../handover/export/parts/experiment.ts';
import { exportFolder, ExportRefused } from '../../../handover/export/export-folder.ts';
import type { FolderFile, ReadSource } from '../../../handover/export/parts/folder.ts';
import type { Note, OmittedPart } from '../../../handover/export/mapping/mapping.ts';
import type { ExportApi, ExportPlan, ExportSubject } from '../../contract/exports.ts';
import type { Download } from '../../contract/training.ts';
import { tarOf } from '../files/tar.ts';
import { exportSource, type SourceParts } from './source.ts';

export interface ExportParts extends SourceParts {
  /** Files that a folder holds copies of. */
  read: ReadSource;
}

const bytesOf = ({ content }: FolderFile): Uint8Array<ArrayBuffer> =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;

/** What the folder itself says of where the trainer differs. */
function notesOf(files: readonly FolderFile[]): Note[] {
  const experiment = files.find(({ path }) => path === 'experiment.json')?.content;
  if (typeof experiment !== 'string') return [];
  const { trainer } = JSON.parse(experiment) as { trainer: { notes: Note[] } };
  return trainer.notes;
}

/** Exports to other trainers, in the lab worker. */
export class ExportHost implements ExportApi {
  readonly #parts: ExportParts;

  constructor(parts: ExportParts) {
    this.#parts = parts;
  }

  async plan(
    subject: ExportSubject,
    to: Trainer,
    without: readonly OmittedPart[],
  ): Promise<ExportPlan> {
    try {
      const files = await this.#files(subject, to, without);
      return { refusals: [], notes: notesOf(files), files: files.map(({ path }) => path) };
    } catch (error) {
      if (error instanceof ExportRefused) return { refusals: error.refusals, notes: [], files: [] };
      throw error;
    }
  }

  async folder(
    subject: ExportSubject,
    to: Trainer,
    without: readonly OmittedPart[],
  ): Promise<Download> {
    const files = await this.#files(subject, to, without);
    const name = `forage-${to}`;
    const pieced = files.map((file) => {
      const bytes = bytesOf(file);
      return {
        name: file.path,
        bytes: bytes.length,
        executable: file.executable,
        // eslint-disable-next-line @typescript-eslint/require-await -- a file in memory is one piece
        pieces: async function* () {
          yield bytes;
        },
      };
    });
    return { name: `${name}.tar`, blob: await tarOf(name, pieced, Date.now() / 1000) };
  }

  async #files(
    subject: ExportSubject,
    to: Trainer,
    without: readonly OmittedPart[],
  ): Promise<readonly FolderFile[]> {
    const { read } = this.#parts;
    return exportFolder(await exportSource(this.#parts, subject), to, { without, read });
  }
}
