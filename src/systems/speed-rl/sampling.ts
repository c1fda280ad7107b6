import { itemAt } from '../../base/items.ts';
import { keeps } from '../../learn/band.ts';
import {
  draw,
  makeRollouts,
  reward,
  runGroups,
  sampleBatches,
  withGroupRewards,
} from '../../learn/rl/collect.ts';
import type {
  PlannedGroup,
  SampledAhead,
  SampledGroups,
  SampleGroups,
  SamplingRequest,
} from '../../learn/rl/sampling.ts';
import type { DynamicSampling } from '../../recipes/parts/training.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Screening } from './define.ts';

/*
 * SPEED-RL (arXiv 2506.09016): few rollouts of each question come first, and the others of its group only where these
 * are kept. The screening ones are trained on as well, so that the accuracy of what is kept is biased towards the middle.
 */

const screening = (wanted: readonly PlannedGroup[], screen: number): PlannedGroup[] =>
  wanted.map((one) => ({ ...one, size: screen }));

/** Questions of screened groups that stay, with the size of whole groups. */
const passed = (
  { settings: { groupSize } }: SamplingRequest,
  dynamic: DynamicSampling,
  wanted: readonly PlannedGroup[],
  groups: readonly Rollout[][],
): PlannedGroup[] =>
  wanted
    .map((one, i) => ({ ...one, begun: itemAt(groups, i, 'groups'), size: groupSize }))
    .filter(({ begun }) => keeps(dynamic, begun));

/** All groups, those of `rest` with their further rollouts: these are `whole`. */
function completed(
  groups: readonly Rollout[][],
  rest: readonly PlannedGroup[],
  more: readonly Rollout[][],
): { all: Rollout[][]; whole: Rollout[][] } {
  const all = groups.map((group) => {
    const at = rest.findIndex(({ begun }) => begun === group);
    return at < 0 ? group : [...group, ...itemAt(more, at, 'groups')];
  });
  return { all, whole: all.filter((group) => !groups.includes(group)) };
}

async function screenWithinStep(
  request: SamplingRequest,
  dynamic: DynamicSampling,
  screen: number,
): Promise<SampledGroups> {
  const whole: Rollout[][] = [];
  const made = await sampleBatches(request, dynamic, async (drawn) => {
    const wanted = screening(drawn, screen);
    const groups = await runGroups(request, wanted);
    const rest = passed(request, dynamic, wanted, groups);
    const batch = completed(groups, rest, await runGroups(request, rest));
    whole.push(...batch.whole);
    return withGroupRewards(request, batch.all);
  });
  return { ...made, whole };
}

/** Draws again what was screened in the step before, and leaves the curriculum as it is now. */
async function redrawn(request: SamplingRequest, ahead: SampledAhead): Promise<SampledGroups> {
  const { curriculum } = request;
  const now = structuredClone(curriculum.state());
  curriculum.restore(structuredClone(ahead.curriculum));
  const wanted: PlannedGroup[] = [];
  for (let batch = 0; batch < ahead.batches; batch++) wanted.push(...(await draw(request, batch)));
  curriculum.restore(now);
  // The step adds to the records; a state is never changed in place.
  return { wanted, all: structuredClone(ahead.groups), batches: ahead.batches };
}

/**
 * As the released code has it: while this step's questions are continued, those of the next one are screened, so that
 * the screening rollouts of a step are one update older than the others. Theirs takes log-probabilities again from the
 * policy that is trained, so that the ratio of these is 1; here it is to the policy that made them. Theirs keeps what is
 * screened beyond a step's questions for later ones; here it is left.
 */
async function screenAhead(
  request: SamplingRequest,
  dynamic: DynamicSampling,
  screen: number,
): Promise<SampledGroups> {
  const { settings, curriculum, nextStage, step, ahead } = request;
  const before = ahead?.step === step ? ahead : null;
  const screenFor =
    (of: SamplingRequest) =>
    (drawn: PlannedGroup[]): Promise<Rollout[][]> =>
      runGroups(of, screening(drawn, screen));
  const mine = before
    ? await redrawn(request, before)
    : await sampleBatches(request, dynamic, screenFor(request));
  const stale = new Set(before ? mine.all.flat().map(({ id }) => id) : []);
  const rest = passed(request, dynamic, mine.wanted, mine.all).slice(0, settings.questions);
  const finish = async (more: Rollout[][]): Promise<SampledGroups> => {
    const groups = completed(mine.all, rest, await reward(request, rest, more));
    withGroupRewards(request, groups.all);
    return { ...mine, ...groups, stale };
  };
  if (!nextStage) return finish(await makeRollouts(request, rest));
  const next: SamplingRequest = { ...request, step: step + 1, stage: nextStage };
  const state = structuredClone(curriculum.state());
  const wanted = await draw(next, 0);
  const [more, screens] = await Promise.all([
    makeRollouts(request, rest),
    makeRollouts(next, screening(wanted, screen)),
  ]);
  const made = await finish(more);
  const first = { wanted, all: await reward(next, wanted, screens), batches: 1 };
  const later = await sampleBatches(next, dynamic, screenFor(next), first);
  return {
    ...made,
    ahead: { step: step + 1, curriculum: state, batches: later.batches, groups: later.all },
  };
}

export const sampling =
  ({ screen, withinStep }: Screening): SampleGroups =>
  (request, dynamic) =>
    (withinStep ? screenWithinStep : screenAhead)(request, dynamic, screen);
