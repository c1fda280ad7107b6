import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ADAPTER_CONFIG } from '../../policy/lora/peft.ts';
import { withinBytes } from '../../lab/storage/stored-adapters.ts';
import type { Json } from '../../learn/rl/contracts.ts';
import {
  checkedFile,
  encodeHashes,
  folderHashes,
  HASHES,
  hashOf,
  type Hashes,
} from '../shared/hashes.ts';
import { writeSafely } from '../shared/write-safely.ts';

/**
 * What a run's folder keeps of a snapshot after the next ones took its place: `adapters/step-000010`, its adapter as a
 * PEFT folder and `router.json`, the router of that step; `adapters/sha256.json` has the hashes of their files. Enough to
 * ask with, not to continue from.
 */

const FOLDER = 'adapters';
const ROUTER = 'router.json';
const STATE = /^state\./u;
const nameOf = (step: number): string => `step-${String(step).padStart(6, '0')}`;
const pathOf = (run: string, step: number): string => join(run, FOLDER, nameOf(step));

const routerSchema = z.object({ router: z.json() });

const bytesIn = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

/** Steps whose adapters are kept, rising. */
export const pastSteps = (run: string): number[] =>
  existsSync(join(run, FOLDER))
    ? readdirSync(join(run, FOLDER))
        .flatMap((name) => /^step-(\d+)$/u.exec(name)?.[1] ?? [])
        .map(Number)
        .toSorted((a, b) => a - b)
    : [];

/**
 * The adapter of a past step and the router of that step; null where it is not kept.
 * @throws Error that names a file that does not match its hash
 */
export function pastAdapter(run: string, step: number): { folder: string; router: Json } | null {
  const folder = pathOf(run, step);
  if (!existsSync(folder)) return null;
  // Absent for a run of the time before hashes were kept.
  const hashes = folderHashes(join(run, FOLDER))[nameOf(step)] ?? {};
  for (const name of Object.keys(hashes)) checkedFile(folder, name, hashes);
  const router = join(folder, ROUTER);
  return {
    folder,
    router: existsSync(router) ? (JSON.parse(readFileSync(router, 'utf8')) as Json) : null,
  };
}

/** Lists the hashes of the adapters that are there, and of one more. */
function writeList(run: string, added: Readonly<Record<string, Hashes>> = {}): void {
  const folder = join(run, FOLDER);
  const kept = new Set(pastSteps(run).map(nameOf));
  const all = { ...listed(folder), ...added };
  const left = Object.entries(all).filter(([name]) => kept.has(name) || name in added);
  writeSafely(join(folder, HASHES), encodeHashes(Object.fromEntries(left)));
}

/** A damaged list is made again of what is added from now on. */
function listed(folder: string): Readonly<Record<string, Hashes>> {
  try {
    return folderHashes(folder);
  } catch {
    return {};
  }
}

/**
 * Takes the adapter out of the folder of a snapshot that nothing continues from any more. Where all take more than 256 MiB,
 * those of steps without a score go first.
 * @param scored whether held-out questions were asked at a step
 */
export function keepAdapter(
  run: string,
  snapshot: { folder: string; step: number; hashes: Hashes },
  scored: (step: number) => boolean,
): void {
  const [from, to] = [join(run, snapshot.folder), pathOf(run, snapshot.step)];
  if (!existsSync(join(from, 'state.json')) || !existsSync(join(from, ADAPTER_CONFIG))) return;
  const state = routerSchema.safeParse(
    JSON.parse(readFileSync(join(from, 'state.json'), 'utf8')) as unknown,
  );
  // Whole or not at all: nothing that a killed process leaves has the name of a step.
  const part = `${to}.part`;
  for (const old of [part, to]) rmSync(old, { recursive: true, force: true });
  mkdirSync(join(run, FOLDER), { recursive: true });
  renameSync(from, part);
  for (const name of readdirSync(part))
    if (STATE.test(name) || name === HASHES) rmSync(join(part, name));
  const hashes = Object.fromEntries(
    Object.entries(snapshot.hashes).filter(([name]) => !STATE.test(name)),
  );
  if (state.success && state.data.router !== null) {
    const text = JSON.stringify(state.data.router);
    writeSafely(join(part, ROUTER), text);
    hashes[ROUTER] = hashOf(text);
  }
  writeList(run, { [nameOf(snapshot.step)]: hashes });
  renameSync(part, to);
  const kept = pastSteps(run).map((step) => ({ step, scored: scored(step) }));
  const left = new Set(withinBytes(kept, ({ step }) => bytesIn(pathOf(run, step))));
  for (const one of kept)
    if (!left.has(one)) rmSync(pathOf(run, one.step), { recursive: true, force: true });
}

/** Drops the adapters of steps from `step` on, which are made again. */
export function dropAdapters(run: string, step: number): void {
  for (const one of pastSteps(run).filter((kept) => kept >= step))
    rmSync(pathOf(run, one), { recursive: true, force: true });
}
