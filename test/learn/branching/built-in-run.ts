import { createRouter } from '../../../src/agent/router/router.ts';
import { openFolder, openPolicy } from '../../../src/cli/shared/parts.ts';
import { createReplica } from '../../../src/learn/replicas/create-replica.ts';
import { PolicyLearner } from '../../../src/learn/replicas/learner.ts';
import type { Curriculum } from '../../../src/learn/rl/contracts.ts';
import { trainRun } from '../../../src/learn/rl/loop.ts';
import { UniformCurriculum } from '../../../src/learn/rl/uniform.ts';
import type { TrainState } from '../../../src/learn/rl/state.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import type { MadeStep } from '../../../src/records/training.ts';
import type { World } from '../rl/helpers.ts';

/** Trains the built-in policy: one that was never trained hardly searches. */
export async function trainBuiltIn(
  world: World,
  settings: TrainSettings,
  from?: TrainState,
  curriculum: Curriculum = new UniformCurriculum(world.questions, settings.seed),
): Promise<{ state: TrainState; states: TrainState[]; steps: MadeStep[]; rollouts: Rollout[] }> {
  const policy = await openPolicy({ device: 'wasm' });
  const { config } = await openFolder(undefined);
  const replica = createReplica({ policy, adapter: settings.adapter, microTokens: 2048 });
  const [steps, states, rollouts]: [MadeStep[], TrainState[], Rollout[]] = [[], [], []];
  try {
    const { state } = await trainRun({
      settings,
      state: from,
      deps: {
        agent: { policy, retriever: world.retriever, router: createRouter(), now: Date.now },
        config,
        learner: new PolicyLearner([replica]),
        curriculum,
        heldOut: [],
        runId: 'run',
        now: Date.now,
      },
      hooks: {
        onStep: (step, made) => {
          steps.push(step);
          rollouts.push(...made);
        },
        snapshot: (one) => void states.push(one),
      },
    });
    return { state, states, steps, rollouts };
  } finally {
    await replica.close();
    policy.dispose();
  }
}
