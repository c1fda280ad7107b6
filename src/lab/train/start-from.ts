import { adapterSize } from '../../policy/lora/spec.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { RunRecord } from '../contract/records/runs.ts';
import type { StartFrom } from '../contract/training.ts';
import type { PolicyFacts } from '../models/serving/policy-facts.ts';
import type { RunStore } from '../storage/run-store.ts';

/** An adapter that a new run starts from, and the shape that the run takes from it. */
export interface StartAdapter {
  from: NonNullable<RunRecord['startedFrom']>;
  shape: TrainSettings['adapter'];
  flat: Float32Array;
}

/**
 * The adapter of another run of this model.
 * @returns null where nothing is chosen
 * @throws Error where it is of another model, or not stored
 */
export async function readStartAdapter(
  store: Pick<RunStore, 'run' | 'adapterSteps' | 'adapterAt'>,
  start: StartFrom | undefined,
  policy: Pick<PolicyFacts, 'id' | 'revision' | 'config'>,
): Promise<StartAdapter | null> {
  if (!start) return null;
  const run = await store.run(start.run);
  if (run.policy.id !== policy.id || run.policy.revision !== policy.revision)
    throw new Error(
      `The adapter of “${run.name}” was trained on ${run.policy.id}, and this run trains ${policy.id}. Choose that model, or start from a new adapter.`,
    );
  const step = start.step ?? (await store.adapterSteps(run.id))[0];
  if (step === undefined)
    throw new Error(`“${run.name}” has no adapter that was trained. Start from another one.`);
  const { adapter: flat } = await store.adapterAt(run.id, step);
  const shape = run.settings.adapter;
  const wanted = adapterSize(policy.config, shape);
  if (flat.length !== wanted)
    throw new Error(
      `The adapter of “${run.name}” has ${flat.length} numbers; its shape needs ${wanted}. Start from another one.`,
    );
  return { from: { run: run.id, step, name: run.name }, shape, flat };
}
