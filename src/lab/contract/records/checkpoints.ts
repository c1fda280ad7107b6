import { z } from 'zod';
import { MATRIX_TYPES, STORE_TYPES } from '../../../policy/ops/values.ts';

/** Checkpoints on this device: where they come from, what is planned, what is stored, what can go wrong. */

/** Where a checkpoint comes from. */
const sourceSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('hub'),
    /** Address of the hub or of a mirror of it, without a slash at its end. */
    base: z.url({ protocol: /^https?$/ }),
    /** `owner/name`. */
    repository: z.string(),
    /** Branch, tag or commit. */
    revision: z.string(),
    /** Path of a GGUF file in it, the first where the model is split; absent: safetensors. */
    file: z.string().optional(),
  }),
  /** On a server: a folder, whose address ends with a slash, or a GGUF file. */
  z.strictObject({ kind: z.literal('url'), url: z.url({ protocol: /^https?$/ }) }),
  /** A folder of this machine, by its name: pages are not told where it lies. */
  z.strictObject({ kind: z.literal('folder'), name: z.string() }),
  /** A GGUF file of this machine, the first where the model is split. */
  z.strictObject({ kind: z.literal('file'), name: z.string() }),
]);

export type Source = z.infer<typeof sourceSchema>;
export type RemoteSource = Extract<Source, { kind: 'hub' | 'url' }>;

/** A plain file name, so that no path leaves the checkpoint's folder. */
const NAME = /^[A-Za-z0-9][\w.-]{0,199}$/;

const isFileName = (name: string): boolean => NAME.test(name);

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

/** How a GGUF file stores its matrices. */
const ggufSchema = z.strictObject({
  /** Matrices of each type of the file, such as `Q4_K`. */
  stored: z.record(z.string(), z.int().min(1)),
  /** What they are held in: the widest type, where it differs between them. */
  held: z.enum(MATRIX_TYPES),
});

export type GgufTypes = z.infer<typeof ggufSchema>;

/** What would be stored, before anything is. */
export const planSchema = z.strictObject({
  source: sourceSchema,
  /** Commit of the hub that all files are of. */
  revision: z.string().nullable(),
  title: z.string().min(1).max(200),
  files: z.array(plannedFileSchema).min(1).max(3000),
  /** `config.json`, parsed; of a GGUF file, what its metadata says in the same words. */
  config: z.record(z.string(), z.unknown()),
  /** Of GGUF files only. */
  gguf: ggufSchema.optional(),
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

/** What can go wrong with a checkpoint on its way to the device. */
const FAULT_KINDS = [
  /** The text names no repository, address or folder. */
  'address',
  'offline',
  /** No answer: refused, no such host, or an answer that the page may not read. */
  'unreachable',
  /** The server is there and does not let other pages read it. */
  'cors',
  'gated',
  /** 401 or 403. */
  'denied',
  'not-found',
  'rate-limited',
  /** 5xx, or any other status that is not an answer. */
  'server',
  /** An answer that is not what it should be. */
  'bad-answer',
  /** A file that a checkpoint needs is not there. */
  'incomplete',
  /** Weights in a format that the engine does not read. */
  'unsupported',
  /** The connection broke while a file was read. */
  'interrupted',
  /** A file is not what its hash or its own header says. */
  'damaged',
  /** A file became another one while it was read. */
  'changed',
  'storage-full',
  /** Another tab works on it. */
  'busy',
  /** Its files lie in a folder that has to be chosen again. */
  'needs-files',
  /** Not on this device, or not whole. */
  'missing',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/** As it crosses between workers, where errors lose their class. */
export interface Fault {
  kind: FaultKind;
  /** What happened, to what; and what to do next. */
  message: string;
  next: string;
}

export const checkpointSchema = z.strictObject({
  format: z.literal('forage.checkpoint/1'),
  id: z.string().regex(/^[\w.-]{1,120}$/),
  name: z.string(),
  source: sourceSchema,
  revision: z.string().nullable(),
  /** `config.json`, parsed; of a GGUF file, what its metadata says in the same words. */
  config: z.record(z.string(), z.unknown()),
  /** Of GGUF files only. */
  gguf: ggufSchema.optional(),
  createdAt: z.string(),
  /** When the last file was whole and checked; null until then. */
  readyAt: z.string().nullable(),
  /** Why it stopped last; null while it runs and where the user stopped it. */
  failure: z
    .strictObject({ kind: z.enum(FAULT_KINDS), message: z.string(), next: z.string() })
    .nullable(),
  deletedAt: z.string().nullable(),
  /** What its weights are held in on a device; absent: what its files and the device suggest. */
  weights: z.enum(MATRIX_TYPES).optional(),
  /** The same of keys and values of its contexts; absent: as their size and the device suggest. */
  keys: z.enum(STORE_TYPES).optional(),
});

export type CheckpointRecord = z.infer<typeof checkpointSchema>;
