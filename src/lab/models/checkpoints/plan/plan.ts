import { z } from 'zod';
import { isFileName } from './file-names.ts';
import { sourceSchema } from './source.ts';

/** What would be stored, before anything is. */

const bytes = z.int().min(0);

export const plannedFileSchema = z.strictObject({
  name: z.string().refine(isFileName),
  /** null where the server does not tell. */
  bytes: bytes.nullable(),
  /** Whether a file of another size is another file; compressing servers tell a wrong one. */
  exact: z.boolean(),
  /** Hexadecimal, where the hub tells it. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  /** null for a file of this machine. */
  url: z.url({ protocol: /^https?$/ }).nullable(),
});

export const planSchema = z.strictObject({
  source: sourceSchema,
  /** Commit of the hub that all files are of. */
  revision: z.string().nullable(),
  title: z.string().min(1).max(200),
  files: z.array(plannedFileSchema).min(1).max(3000),
  /** `config.json`, parsed. */
  config: z.record(z.string(), z.unknown()),
});

export type PlannedFile = z.infer<typeof plannedFileSchema>;
export type CheckpointPlan = z.infer<typeof planSchema>;

/** Bytes of the files whose size is known. */
export const planBytes = (files: readonly Pick<PlannedFile, 'bytes'>[]): number =>
  files.reduce((sum, file) => sum + (file.bytes ?? 0), 0);

/** A file of this machine with its path in the folder that was chosen. */
export interface LocalFile {
  path: string;
  file: File;
}
