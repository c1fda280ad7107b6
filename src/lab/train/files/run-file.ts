import { z } from 'zod';
import { messageOf, issueOf, oneLine } from '../../../base/errors.ts';
import type { TrainStep } from '../../../records/training.ts';
import { decodeState, encodeState, type TrainState } from '../../../learn/rl/state.ts';
import { parseRun, parseStep } from '../../storage/records.ts';
import type { RunRecord } from '../../contract/records/runs.ts';

/**
 * A run as one JSON file, `forage.run-export/1`: its record with all settings, its steps, and its
 * last snapshot, so that it can be read, repeated, or continued elsewhere.
 */

export interface RunFile {
  run: RunRecord;
  steps: TrainStep[];
  /** null where the run ended before its first snapshot. */
  state: TrainState | null;
}

const fileSchema = z.strictObject({
  format: z.literal('forage.run-export/1'),
  run: z.unknown(),
  steps: z.array(z.unknown()),
  state: z.strictObject({ tensors: z.base64(), rest: z.string() }).nullable(),
});

const CHUNK = 0x8000;

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}

const fromBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

export function writeRunFile({ run, steps, state }: RunFile): string {
  const files = state && encodeState(state);
  return JSON.stringify({
    format: 'forage.run-export/1',
    run,
    steps,
    state: files && { tensors: toBase64(files.tensors), rest: files.rest },
  });
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
};

/** @throws Error of one line that says what is wrong with the file */
export function readRunFile(text: string): RunFile {
  try {
    const parsed = fileSchema.safeParse(jsonOf(text));
    if (!parsed.success) throw new Error(issueOf(parsed.error, 'it'));
    const { run, steps, state } = parsed.data;
    return {
      run: parseRun(run),
      steps: steps.map(parseStep),
      state: state && decodeState({ tensors: fromBase64(state.tensors), rest: state.rest }),
    };
  } catch (error) {
    const reason = oneLine(messageOf(error));
    throw new Error(`This file is no exported run of Forage: ${reason}.`, { cause: error });
  }
}
