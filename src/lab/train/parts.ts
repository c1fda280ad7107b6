import type { AgentDeps } from '../../agent/request.ts';
import type { Router } from '../../agent/router/router.ts';
import type { Question } from '../../records/records.ts';
import { createCurriculum } from '../../learn/curriculum/create.ts';
import type { TrainDeps } from '../../learn/rl/contracts.ts';
import { heldOutSample } from '../../learn/rl/held-out.ts';
import type { TrainSettings } from '../../learn/settings/settings.ts';
import { createRouterLearner } from '../../learn/router/learner.ts';
import type { WorldQuestion } from '../../retrieval/world/manifest.ts';
import type { TrainEngines } from './engines.ts';

/** What the lab has loaded for its own questions and lends to training. */
export interface TrainWorld {
  seed: number;
  questions: readonly WorldQuestion[];
  retriever: AgentDeps['retriever'];
  router: Router;
}

const now = (): number => performance.timeOrigin + performance.now();

/** The parts of a training run. @throws Error where the settings ask for what the world lacks */
export function trainDeps(
  settings: TrainSettings,
  runId: string,
  engines: TrainEngines,
  world: TrainWorld,
  onNotice: (line: string) => void,
): TrainDeps {
  const split = (name: string): Question[] => world.questions.filter((q) => q.split === name);
  const { policy, learner, weights } = engines;
  const { retriever, router } = world;
  const trainsRouter = settings.router.train !== 'off';
  return {
    ...(trainsRouter && { router: createRouterLearner(settings, { router, onNotice }) }),
    agent: { policy, retriever, router, now },
    weights,
    learner,
    curriculum: createCurriculum(settings, { questions: split('train'), retriever }),
    heldOut: heldOutSample(split('dev'), settings.heldOut.questions),
    runId,
    now,
  };
}

/** @throws Error where a router is to be trained that the recipe never asks */
export function checkRouter(settings: TrainSettings): void {
  if (settings.router.train !== 'off') createRouterLearner(settings);
}
