import { type Inspection, inspectRun } from '../../../src/evaluate/rollouts/inspect.ts';

/** Reads one file. @throws ImportError as `inspectRun` does */
export const inspectFile = (blob: Blob, name: string): Promise<Inspection> =>
  inspectRun([{ name, blob }], name);
