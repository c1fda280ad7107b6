import { adopt, type Adopted, type Base } from '../../handover/adopt/adopt.ts';
import { openArchive } from '../../handover/adopt/open-archive.ts';
import type { AdoptedExperiment } from '../../handover/adopt/experiment.ts';
import { nameOf, type AdoptFile } from '../../handover/adopt/folder.ts';
import { BUILT_IN_SETUP, type PolicyRef, type Setup } from '../../records/setup.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { RunRecord } from '../contract/records/runs.ts';
import { parseStep } from '../storage/records.ts';
import type { RunStore } from '../storage/run-store.ts';
import type { PolicyFacts } from '../models/serving/policy-facts.ts';
import { holdRun } from './locks.ts';
import { newId, nowIso } from './records.ts';

/** Runs that were trained on a cluster, taken in as runs of this browser. */

export interface AdoptParts {
  store: RunStore;
  locks: LockManager;
  /** Policies that can be trained here. */
  policies(): Promise<PolicyRef[]>;
  policy(ref: PolicyRef): Promise<PolicyFacts>;
  device: RunRecord['device'];
}

export interface AdoptOptions {
  /** Steps stored, of how many. */
  onProgress: (done: number, total: number) => void;
  signal: AbortSignal;
  /** Names the model that the adapter is for, whatever its weights; absent: the one with the weights that were trained. */
  setup?: Setup;
}

interface Found {
  ref: PolicyRef;
  facts: PolicyFacts;
}

/** The policy that the user chose for the adapter. @throws where it is not in this browser */
async function chosenPolicy(parts: AdoptParts, { policy: ref }: Setup): Promise<Found> {
  return { ref, facts: await parts.policy(ref) };
}

/** The policy of this browser that was trained there; null without it. */
async function findPolicy(
  parts: AdoptParts,
  { policy: wanted }: AdoptedExperiment,
  signal: AbortSignal,
): Promise<Found | null> {
  for (const ref of await parts.policies()) {
    signal.throwIfAborted();
    // One that cannot be opened is not the one; what it lacks is said on the Models page.
    const facts = await parts.policy(ref).catch(() => null);
    if (facts?.revision === wanted.revision) return { ref, facts };
  }
  return null;
}

const missing = ({ policy }: AdoptedExperiment): Base => ({
  missing:
    `it was trained on ${policy.id} (weights ${policy.revision}), which is not among the policies of this ` +
    'browser. Add that checkpoint on the Models page, and drop the folder again.',
});

/** A folder as it was dropped, or what lies in an archive. @throws AdoptError; the signal's reason */
async function unpacked(
  files: readonly AdoptFile[],
  signal: AbortSignal,
): Promise<readonly AdoptFile[]> {
  const [only, ...more] = files;
  if (!only || more.length > 0) return files;
  return (await openArchive(nameOf(only.path), only.blob, signal)) ?? files;
}

const TRAINERS: Readonly<Record<string, string>> = { trl: 'TRL', verl: 'verl' };

/** The setup of the run that was exported, else the built-in one over the policy that was found. */
function setupOf(
  chosen: Setup | undefined,
  stored: RunRecord | undefined,
  found: Found | null,
): Setup | undefined {
  const given = chosen ?? stored?.setup;
  if (given) return given;
  const policy = found?.ref ?? BUILT_IN_SETUP.policy;
  return policy.kind === 'built-in' ? undefined : { ...BUILT_IN_SETUP, policy };
}

/** Sources that the run had there and has not here. */
function otherSources({ corpus, engine }: AdoptedExperiment, setup: Setup | undefined): string[] {
  const own = [corpus ? 'passages of its own' : '', engine ? 'a search engine' : ''].filter(
    Boolean,
  );
  return own.length === 0 || setup
    ? []
    : [`It searched ${own.join(' and ')} there; going on here searches the built-in world.`];
}

function recordOf(
  { experiment, settings, steps, state, trainer, notes }: Adopted,
  stored: RunRecord | undefined,
  found: Found | null,
  device: RunRecord['device'],
  chosen: Setup | undefined,
): RunRecord {
  const { policy, world, questions, published } = experiment;
  const name = trainer === null ? 'a cluster' : (TRAINERS[trainer] ?? trainer);
  const last = Math.max(steps.at(-1)?.step ?? 0, state?.step ?? 0);
  const setup = setupOf(chosen, stored, found);
  const told = [...otherSources(experiment, setup), ...notes];
  return {
    format: 'forage.run/6',
    id: newId(settings),
    name:
      published?.name ??
      `${stored?.name ?? `${settings.preset}, seed ${settings.seed}`}, on ${name}`,
    tags: published ? [] : [name],
    notes: '',
    createdAt: nowIso(),
    updatedAt: nowIso(),
    status: last >= settings.steps ? 'finished' : 'stopped',
    settings,
    policy: {
      id: found?.facts.id ?? policy.id,
      revision: found?.facts.revision ?? policy.revision,
    },
    setup,
    world: { seed: world.seed, questions: questions?.train ?? 0 },
    device,
    step: last,
    checkpointStep: null,
    failure: null,
    importedStep: last,
    notice: told.length === 0 ? null : told.join(' '),
    ...(published && { before: published.before }),
    // Until all of it is stored: what a closed tab leaves is removed like a deleted run.
    deletedAt: nowIso(),
  };
}

async function keep(
  { store }: AdoptParts,
  run: RunRecord,
  adopted: Adopted,
  stored: RunRecord | undefined,
  { onProgress, signal }: AdoptOptions,
): Promise<void> {
  const { steps, state, experiment } = adopted;
  const before = stored
    ? (await store.steps(stored.id)).filter(({ step }) => step <= experiment.startStep)
    : [];
  if (state) await store.commit(run.id, state, [], {});
  await store.addSteps(
    run.id,
    before.map((record) => ({ record: { ...record, runId: run.id }, rollouts: [] })),
  );
  for (const [done, record] of steps.entries()) {
    signal.throwIfAborted();
    onProgress(done, steps.length);
    // The inspector reads records that lack parts; those of the environment lack none.
    const own = (await adopted.rollouts(record.step)) as Rollout[];
    // What could not be read afterwards is refused here.
    const step = parseStep({ ...record, runId: run.id });
    await store.addSteps(run.id, [{ record: step, rollouts: own }]);
  }
}

/**
 * Takes a folder, or an archive of one, in as a run. Nothing stays of it where that fails or is stopped.
 * @throws AdoptError as text where nothing can be made of it; StorageFull; the signal's reason
 */
export async function adoptRun(
  parts: AdoptParts,
  given: readonly AdoptFile[],
  options: AdoptOptions,
): Promise<RunRecord> {
  const { store } = parts;
  const { signal } = options;
  const held: { found: Found | null } = { found: null };
  const adopted = await adopt(await unpacked(given, signal), {
    base: async (experiment) => {
      held.found = options.setup
        ? await chosenPolicy(parts, options.setup)
        : await findPolicy(parts, experiment, signal);
      return held.found ? { config: held.found.facts.config } : missing(experiment);
    },
    now: nowIso(),
    signal,
  });
  const { experiment } = adopted;
  const stored = (await store.runs()).find(({ id }) => id === experiment.run?.id);
  const run = recordOf(adopted, stored, held.found, parts.device, options.setup);
  // Until all of it is stored it counts as deleted; the lock keeps it from being freed.
  const release = await holdRun(run.id, parts.locks);
  await store.put(run);
  try {
    await keep(parts, run, adopted, stored, options);
    signal.throwIfAborted();
    return await store.change(run.id, { deletedAt: null });
  } catch (error) {
    await store.purge(run.id).catch(() => undefined);
    throw error;
  } finally {
    release?.();
  }
}
