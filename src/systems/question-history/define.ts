import { z } from 'zod';
import type { CurriculumGround } from '../../learn/curriculum/provided.ts';
import { defineCurriculum } from '../parts/define.ts';

/** The curricula of the switches One-Shot RLVR and SwS, which look at a pool of questions before they choose. */

/** Steps of the first phase, and questions in the pool, where the settings name neither. */
export const PROBE_STEPS = 12;
export const POOL = 96;

const looking = {
  pool: z.int().min(1).optional().meta({ title: 'Questions in the pool' }),
  probeSteps: z.int().min(0).optional().meta({
    title: 'First steps that rank questions',
    description: 'By the accuracies of their rollouts',
  }),
};

const oneShot = z.strictObject({
  ...looking,
  /** 1 where absent. */
  count: z.int().min(1).optional().meta({ title: 'Questions trained on' }),
  /** Ids of these questions; absent or empty: those whose accuracy spread most. */
  ids: z.array(z.string()).optional(),
});
export type OneShot = z.infer<typeof oneShot>;
const weakness = z.strictObject({
  ...looking,
  added: z
    .literal('random')
    .optional()
    .meta({
      title: 'Questions that are added',
      description: 'Any, in place of weak ones: a control',
      choices: { random: 'any' },
    }),
});
export type Weakness = z.infer<typeof weakness>;

const tooLong = (probeSteps: number, steps: number): string | null =>
  probeSteps >= steps
    ? `All ${steps} steps would rank questions, and none would train on the selected ones. Set curriculum.system.probeSteps below steps.`
    : null;

async function of(kind: 'one-shot' | 'weakness') {
  const { HistoryCurriculum } = await import('./curriculum.ts');
  return {
    curriculum: (params: OneShot & Weakness, ground: CurriculumGround) =>
      new HistoryCurriculum(kind, params, ground),
  };
}

defineCurriculum('one-shot-rlvr', {
  draws: 'as they come, then those whose accuracy varies most (One-Shot RLVR)',
  params: oneShot,
  learns: true,
  /** Spread is distinguished from accuracies of several epochs: every question of the pool has to be asked at least twice. */
  clash({ ids = [], pool = POOL, probeSteps = PROBE_STEPS }, { questions, steps }) {
    if (ids.length > 0) return null;
    const most = Math.floor((probeSteps * questions) / 2);
    if (pool <= most) return tooLong(probeSteps, steps);
    return (
      `Training uses the question whose accuracy varies most, but ${probeSteps} steps of ${questions} questions do not ask each of ${pool} twice. ` +
      (most > 0
        ? `Set curriculum.system.pool to ${most} or less, or name the question in curriculum.system.ids.`
        : 'Raise curriculum.system.probeSteps, or name the question in curriculum.system.ids.')
    );
  },
  load: () => of('one-shot'),
});

defineCurriculum('sws', {
  draws: 'as they come, then weak ones more often (SwS)',
  params: weakness,
  learns: true,
  clash: ({ probeSteps = PROBE_STEPS }, { steps }) => tooLong(probeSteps, steps),
  load: () => of('weakness'),
});
