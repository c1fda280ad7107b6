import type { MatrixType, StoreType } from '../../policy/ops/values.ts';
import type { CheckpointPlan, CheckpointRecord, Fault, LocalFile } from './records/checkpoints.ts';

/** What the page may ask of the checkpoints on this device, which the lab worker keeps. */

/** A value, or what is wrong as text: errors lose their class on the way between workers. */
export type Outcome<T> = { status: 'ready'; value: T } | { status: 'failed'; fault: Fault };

/** What was named: a text (repository or address) or files: those of a folder, or GGUF files. */
export type PlanRequest =
  | { kind: 'named'; text: string; /** Address of the hub. */ hub: string }
  | { kind: 'local'; files: LocalFile[] };

/** A GGUF model in a repository. */
export interface RemoteGguf {
  path: string;
  /** Of all its parts; null where the hub does not tell. */
  bytes: number | null;
  /** What to look at it by. */
  address: string;
}

/** What would be stored, and whether it fits. */
export interface PlanView {
  plan: CheckpointPlan;
  /** GGUF files of the repository, which can be taken instead. */
  ggufs: readonly RemoteGguf[];
  facts: CheckpointFacts;
  bytes: number;
  /** Files whose size the server does not tell. */
  unknownSizes: number;
  /** Bytes that this origin may still store; null where the browser does not tell. */
  freeBytes: number | null;
}

interface FileView {
  name: string;
  doneBytes: number;
  bytes: number | null;
  /** SHA-256 of the whole file, once it is whole. */
  digest: string | null;
  /** Whether the digest was compared with one that the hub told. */
  checked: boolean;
}

export interface CheckpointView extends Omit<CheckpointRecord, 'format'> {
  /** `elsewhere`: another tab downloads it. */
  state: 'ready' | 'downloading' | 'elsewhere' | 'paused';
  facts: CheckpointFacts;
  files: FileView[];
  doneBytes: number;
  totalBytes: number;
}

export type CheckpointMessage =
  /** Deleted ones are left out. */
  | { type: 'list'; checkpoints: CheckpointView[] }
  | { type: 'progress'; progress: DownloadProgress };

/** What a model is, as its `config.json` says; what it leaves away or says wrongly is null. */
export interface CheckpointFacts {
  /** `model_type`, such as `qwen2`. */
  family: string | null;
  architecture: string | null;
  layers: number | null;
  hidden: number | null;
  heads: number | null;
  kvHeads: number | null;
  vocab: number | null;
  /** Longest context, tokens. */
  context: number | null;
  /** `torch_dtype`. */
  dtype: string | null;
  /** Counted from the shape, as a Llama-shaped decoder has them; null where the shape is not told. */
  parameters: number | null;
}

export interface DownloadProgress {
  id: string;
  /** The file that is read now. */
  file: string;
  doneBytes: number;
  /** Of the files whose size is known. */
  totalBytes: number;
  bytesPerSecond: number;
  /** Null where unknown. */
  secondsLeft: number | null;
  /** What is waited for, where nothing arrives. */
  waiting: string | null;
}

export interface CheckpointsApi {
  /** Everything that happens from now on arrives at `listener`. */
  listen(listener: (message: CheckpointMessage) => void): Promise<void>;
  list(): Promise<CheckpointView[]>;
  /**
   * Sends this token to a hub from now on, for gated and private repositories. It is kept in memory
   * only. @param token empty takes it away
   */
  useToken(hub: string, token: string): Promise<void>;
  /** Looks what a source would bring; an earlier look that is under way is given up. */
  plan(request: PlanRequest): Promise<Outcome<PlanView>>;
  cancelPlan(): Promise<void>;
  /**
   * Begins to store what a plan lists; the download continues after the answer.
   * @param files those of the folder, where the plan is of one
   */
  add(plan: CheckpointPlan, name: string, files?: LocalFile[]): Promise<Outcome<{ id: string }>>;
  /** Continues. @param files those of the folder, where it came from one */
  resume(id: string, files?: LocalFile[]): Promise<Outcome<null>>;
  /** Stops a download and keeps what arrived. */
  pause(id: string): Promise<void>;
  rename(id: string, name: string): Promise<Outcome<null>>;
  /** What its weights are held in from the next load on; null: as its files and the device suggest. */
  holdAs(id: string, weights: MatrixType | null): Promise<Outcome<null>>;
  /** The same for keys and values of its contexts; null: as their size and the device suggest. */
  holdContextsAs(id: string, keys: StoreType | null): Promise<Outcome<null>>;
  /** Hides it, after stopping it; `restore` brings it back. */
  remove(id: string): Promise<Outcome<null>>;
  restore(id: string): Promise<Outcome<null>>;
  /** Frees the space of what was deleted before a time, ISO, and is not in use. */
  purge(before: string): Promise<void>;
}
