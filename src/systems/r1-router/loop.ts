import type { LoopHooks } from '../../agent/hooks.ts';
import type { Steps } from '../../agent/steps.ts';
import type { ChainStep } from '../../records/records.ts';

/** The sub-answer of a gold step, as it is where a result does. */
const answered = ({ title, query, object }: ChainStep): { title: string; text: string } => ({
  title,
  text: `${query} is ${object} .`,
});

/**
 * One step of a gold chain by itself (Step-GRPO, section 3.3): the steps before it are given,
 * each as its sub-question and its sub-answer and not as passages, and the rollout ends with the policy's next action. Which
 * step it is, from none given to all, a group draws together: all of its rollouts are in one state. It knows the gold chain, so it is for training
 * alone.
 */
async function oneStep(s: Steps): Promise<void> {
  await s.open();
  const chain = s.chain();
  const given = Math.floor(s.groupChance() * (chain.length + 1));
  for (const step of chain.slice(0, given)) s.writeExchange(step.query, answered(step));
  for (;;) {
    const next = await s.write('action');
    if (next.ended === 'thought') continue;
    if (!(await next.act())) s.end('the step is over');
    return;
  }
}

export const hooks = (): LoopHooks => ({ program: oneStep });
