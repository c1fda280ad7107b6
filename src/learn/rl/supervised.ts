import { itemAt, lastOf } from '../../base/items.ts';
import { mean, sum } from '../../base/statistics.ts';
import type { StoredStage, SupervisedStage } from '../../recipes/parts/stage-loss.ts';
import { carriedUnchanged, type StepResult, type StepUpdate } from './step-update.ts';
import { optimize, rateGroups, type UpdateReport } from './update.ts';
import { roundReference, storedItems, supervisedUpdates } from '../supervised/items.ts';

/** An update on stored trajectories, which needs no rollouts. */
export async function storedUpdate(
  { deps, settings, state, onUpdate }: StepUpdate,
  loss: StoredStage,
): Promise<StepResult> {
  const { stored, learner } = deps;
  if (!stored)
    throw new Error('training: the stage learns from stored trajectories, and there are none');
  learner.setAdapter(state.adapter);
  onUpdate(0, 1);
  const { items, loss: before } = await storedItems(learner, stored, loss, {
    step: state.step + 1,
    seed: settings.seed,
    policy: state.adapter,
  });
  const update =
    items.length > 0
      ? await optimize(learner, [items], state, settings, onUpdate, 'likelihood')
      : null;
  if (update && before !== undefined) update.loss = before;
  return {
    update,
    ...(!update && { skipped: { why: 'nothing-to-imitate' } }),
    kl: null,
    carried: carriedUnchanged(state),
  };
}

/** What several updates of one step come to: where the last one left the adapter, means over all. */
function joinedReports(reports: readonly UpdateReport[]): UpdateReport {
  const last = lastOf(reports, 'updates');
  const over = (of: (report: UpdateReport) => number): number => mean(reports.map(of));
  return {
    ...last,
    loss: over(({ loss }) => loss),
    gradientNorm: over(({ gradientNorm }) => gradientNorm),
    clipShare: over(({ clipShare }) => clipShare),
    trainedTokens: sum(reports.map(({ trainedTokens }) => trainedTokens)),
    samplerGap: itemAt(reports, 0, 'updates').samplerGap,
  };
}

type Supervised = Parameters<typeof supervisedUpdates>[0];

/**
 * The updates of a stage that learns from its rollouts by supervision, null where none can be learned from, and the adapter of
 * the reference of its round.
 */
export async function supervisedUpdate(
  { deps, settings, state: before, onUpdate }: StepUpdate,
  sequences: Supervised,
  loss: SupervisedStage,
): Promise<{ update: UpdateReport | null; reference: Float32Array | null }> {
  const { learner, agent, config } = deps;
  const reference = roundReference(settings, before);
  const { tokenizer } = agent.policy;
  const { seed } = settings;
  const rates = rateGroups(config, settings);
  const reports: UpdateReport[] = [];
  let state = before;
  const wanted = supervisedUpdates(sequences, loss, { tokenizer, seed, step: before.step + 1 });
  for (const [made, itemsAt] of wanted.entries()) {
    learner.setAdapter(state.adapter);
    const learned = await itemsAt(learner, { policy: state.adapter, reference });
    if (learned.items.length === 0) continue;
    const told = (done: number, total: number): void =>
      onUpdate(made * total + done, wanted.length * total);
    const report = await optimize(
      learner,
      [learned.items],
      state,
      settings,
      told,
      'likelihood',
      rates,
    );
    if (learned.loss !== undefined) report.loss = learned.loss;
    reports.push(report);
    const { adapter, first, second, updates } = report;
    state = { ...state, adapter, first, second, updates };
  }
  return { update: reports.length > 0 ? joinedReports(reports) : null, reference };
}
