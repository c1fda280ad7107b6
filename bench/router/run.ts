/**
 * NLR trained alone: paper mode on both sides of β1/β2 = 5/6, measured mode, and the trained routers
 * against always-local, always-web and the prior on test questions, same seeds; trained routers and the
 * prior both take the likelier source and are sampled.
 *
 *   npx tsx bench/router/run.ts [--steps 40] [--questions 32] [--limit 200] [--seed 1]
 *     [--betas 0.5/0.5,0.2/0.8] [--web-delay MS] [--web-cache off|memory] [--world DIR]
 */
import { parseArgs } from 'node:util';
import { createRouter, type Router } from '../../src/agent/router/router.ts';
import { deriveSeed } from '../../src/base/random.ts';
import type { RunningMean } from '../../src/agent/router/reward.ts';
import type { Question } from '../../src/records/records.ts';
import type { Rollout } from '../../src/records/rollout.ts';
import type { RouterStep } from '../../src/records/training.ts';
import { getTraining } from '../../src/systems/index.ts';
import '../../src/systems/rewards.ts';
import { UniformCurriculum } from '../../src/learn/rl/uniform.ts';
import { createRouterLearner } from '../../src/learn/router/learner.ts';
import { openEnvironment, overridesOf, RECIPE, type NlrSettings } from './environment.ts';
import { armTable, differenceTable, type ArmRollouts } from './report.ts';

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '40' },
    questions: { type: 'string', default: '32' },
    limit: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    'learning-rate': { type: 'string', default: '0.05' },
    betas: { type: 'string', default: '0.5/0.5,0.2/0.8' },
    'web-delay': { type: 'string', default: '0' },
    'web-cache': { type: 'string', default: 'off' },
    only: { type: 'string' },
    world: { type: 'string' },
  },
});
const [steps, size, limit] = [values.steps, values.questions, values.limit].map(Number) as [
  number,
  number,
  number,
];
const seed = Number(values.seed);
const webDelayMs = Number(values['web-delay']);
const environment = await openEnvironment({
  world: values.world,
  webCache: values['web-cache'] === 'memory' ? 'memory' : 'off',
});
const trainQuestions = environment.questions('train');
const prior = createRouter({ localCoverage: environment.localCoverage });

const meanLocal = ({ byKind, calls }: RouterStep): number =>
  Object.values(byKind).reduce((sum, kind) => sum + kind.calls * kind.local, 0) / calls;

/** Trains a router from the prior; prints π(local) and the reward as it goes. */
async function train(name: string, nlr: NlrSettings, web: RunningMean): Promise<Router> {
  const overrides = overridesOf(nlr);
  const base = getTraining('kunlun-baize/dapo');
  const router = {
    ...base.router,
    train: 'alone' as const,
    learningRate: Number(values['learning-rate']),
  };
  const learner = createRouterLearner(
    { ...base, recipe: RECIPE, overrides, seed, router },
    { router: prior },
  );
  const curriculum = new UniformCurriculum(trainQuestions, seed);
  const curve: string[] = [];
  for (let step = 1; step <= steps; step++) {
    const drawn = await curriculum.draw({ step, batch: 0, count: size });
    const rollouts: Rollout[] = [];
    for (const [i, { question }] of drawn.entries()) {
      if (nlr.reward === 'measured') await environment.prime(question);
      const own = deriveSeed(seed, 'step', step, 'question', i);
      const { router: at } = learner;
      rollouts.push(
        await environment.run({
          question,
          router: at,
          overrides,
          seed: own,
          webLatency: web,
          step,
        }),
      );
    }
    const report = learner.learn(rollouts, step);
    if (report && (step === 1 || step % Math.ceil(steps / 8) === 0))
      curve.push(`| ${step} | ${meanLocal(report).toFixed(3)} | ${report.reward.toFixed(4)} |`);
  }
  console.log(`\n### ${name}: β1/β2 = ${nlr.beta1}/${nlr.beta2}\n`);
  console.log('| step | mean π(local) of the calls | mean reward a call |\n| --: | --: | --: |');
  console.log(curve.join('\n'));
  return learner.router;
}

interface Contender {
  name: string;
  router: Router;
  source: 'router' | 'local' | 'web';
  routing?: 'argmax';
}

/** A question's arms in an order drawn for it, so that drift of the machine falls on all alike. */
const shuffled = <T>(items: readonly T[], question: string): T[] =>
  items
    .map((item, i) => ({ item, key: deriveSeed(seed, 'order', question, i) }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);

/** Every contender answers each question. β weigh the two parts afterwards; see the report. */
async function compare(
  contenders: readonly Contender[],
  questions: readonly Question[],
  web: RunningMean,
): Promise<ArmRollouts[]> {
  const arms = contenders.map((contender) => ({ ...contender, rollouts: [] as Rollout[] }));
  for (const question of questions) {
    await environment.prime(question);
    for (const { router, source, routing, rollouts } of shuffled(arms, question.id)) {
      const overrides = overridesOf({ reward: 'measured', beta1: 1, beta2: 1 }, source, routing);
      const own = deriveSeed(seed, 'test');
      rollouts.push(
        await environment.run({ question, router, overrides, seed: own, webLatency: web }),
      );
    }
  }
  return arms;
}

async function measured(): Promise<void> {
  environment.webDelayMs = webDelayMs;
  const web = await environment.meanWebLatency(trainQuestions.slice(0, 20));
  const betas = values.betas.split(',').map((pair) => pair.split('/').map(Number));
  const contenders: Contender[] = [
    { name: 'always local', router: prior, source: 'local' },
    { name: 'always web', router: prior, source: 'web' },
    { name: 'prior, set by hand', router: prior, source: 'router' },
    { name: 'prior, the likelier source', router: prior, source: 'router', routing: 'argmax' },
  ];
  const constants = contenders.length;
  for (const [beta1 = 0, beta2 = 0] of betas) {
    const router = await train('Measured mode', { reward: 'measured', beta1, beta2 }, web);
    const name = `trained at ${beta1}/${beta2}`;
    contenders.push({
      name: `${name}, the likelier source`,
      router,
      source: 'router',
      routing: 'argmax',
    });
    contenders.push({ name: `${name}, sampled`, router, source: 'router' });
  }
  const questions = environment.questions('test').slice(0, limit);
  const arms = await compare(contenders, questions, web);
  for (const [i, [beta1 = 0, beta2 = 0]] of betas.entries()) {
    const weights = { beta1, beta2 };
    const own = arms.slice(constants + 2 * i, constants + 2 * i + 2);
    const scored = [...own, ...arms.slice(0, constants)];
    console.log(`\n### Test questions, n = ${questions.length}, β1/β2 = ${beta1}/${beta2}\n`);
    console.log(armTable(scored, weights));
    console.log(`\n${differenceTable(scored, weights, seed)}`);
  }
}

const delay = webDelayMs > 0 ? `${webDelayMs} ms ADDED to each measured web call` : 'none added';
console.log(
  `Environment: the agent's loop over the real retriever; in place of a language model the gold queries of
each question's chain, a step that missed asked once more. ${steps} steps of ${size} training questions, seed ${seed}.
Latencies are measured in Node, one call at a time, web files read from disk (cache: ${values['web-cache']}), delay:
${delay}. In measured mode each question's queries are asked once beforehand, unmeasured.`,
);
const started = performance.now();
if (values.only !== 'measured') {
  const web = await environment.meanWebLatency(trainQuestions.slice(0, 20));
  await train('Paper mode above 5/6', { reward: 'paper', beta1: 0.6, beta2: 0.5 }, web);
  await train('Paper mode below 5/6', { reward: 'paper', beta1: 0.3, beta2: 0.5 }, web);
}
if (values.only !== 'paper') await measured();
console.log(`\n${((performance.now() - started) / 1000).toFixed(0)} s in all.`);
