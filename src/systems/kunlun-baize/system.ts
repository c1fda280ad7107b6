import { z } from 'zod';
import type { Recipe, VariantSettings } from '../../recipes/parts/recipe.ts';
import { DEFAULT_SETTINGS } from '../../recipes/parts/settings.ts';
import { OBJECTIVE, TRAINING } from '../../recipes/parts/training-base.ts';
import { defineCurriculum } from '../parts/define.ts';

/*
 * KunLunBaizeRAG (arXiv 2506.19466). Differences from the paper, and choices where it is silent:
 *
 * RDRA, equations (1)–(4)
 * - (1) is not an input of (2) in the formulas, though the text says it is. Here T reads D0
 *   (`shown-and-used-by-T`). With `shown`, T writes its thought in a context without the
 *   background, and that thought is then inserted after background and question. It was sampled
 *   in another context, so those tokens have no log-probabilities and are masked from the loss.
 * - (3) retrieves by t. t contains the retrieval intention; the query that the policy writes right
 *   after t states it and is used (`intention`). `thought` retrieves by t's own text.
 * - k is not given for the background: 2.
 * - The source of the background is not given. The router chooses it like for any call
 *   (`background.source: 'router'`), with a route event and a reward; it does not count as a
 *   search. `both`, `local` and `web` are experiment arms without the router.
 *
 * STIE, equations (5)–(13), `mode: corrected`; `paper` switches all of these off
 * - Answers are compared and counted in canonical form (normalised, parentheses dropped); an empty
 *   answer is invalid; an answer that retrieved passages support is exempt from (9); the stop rule
 *   on overlap stops when answers agree (`above`), not when they "fall below"; "theoretical upper
 *   limit" of the confidence means 1 − ε.
 * - As printed ("falls below a threshold") the first answer that differs from the earlier ones ends the
 *   reasoning right after (9) called it valid; the stop event says that this clause fired, and its numbers.
 * - T(y) is a set; `bags` counts repeated words.
 * - Candidates are sampled from a fork of the context after every round: K = 4, not given.
 * - y_t is the policy's own first sample (`current: first-sample`): only so can (10) find a more confident
 *   alternative. With `most-confident`, the other reading, it asks for one more confident than the most
 *   confident and never fires. y_alt is the most confident of the other free candidates. Blocking,
 *   (12)–(13), works with both. Every rollout and every training step record how often each clause
 *   fired (src/agent/stie-counts.ts).
 * - Candidates are short even if the question asks for a long answer; when a stop rule ends the
 *   reasoning, the policy writes the long answer itself.
 * - The thresholds of the stop rules are not given: mean overlap 0.9 with at least three earlier
 *   answers, ε = 0.000002, no new entity and no new sentence. Three, because a probed policy guesses
 *   among the entities of a comparison before it has looked up both: with two, four-hop
 *   questions stopped one search early, on a guess. 0.000002, because a policy that reads well is as confident
 *   of intermediate entities as of the answer: on 300 dev questions of the world of seed 77
 *   0.0002 cost 3.6 points of EM, 0.00002 half a point, and 0.000002 nothing; a missed stop costs one
 *   thought, a wrong stop the answer.
 * - Agreement counts as convergence only for an answer that passages support; without support the
 *   policy is stuck on it, and at N = 4 it is blocked, like "Russia" in the paper's example. "Yes"
 *   and "no" are never blocked: blocking one would choose the other. An answer is blocked from
 *   the round after the one that reached N, since M_t of (5) ends at y_{t−1}.
 * - The same rule runs over queries. `paper` applies (9) unchanged. Consecutive hops rightly
 *   share words ("director of X", "birth city of Y"), so `corrected` allows a query that names
 *   something else than each similar query, or asks something else about the same name, or is
 *   wider: (9) divides by the words of y_t, so "X" counts as a full repeat of "director of X", though it finds
 *   other pages (refusing such queries cost 4.3 points of EM on those 300 questions). A query
 *   that only one source received may be repeated once, to the other: if the router chose wrong,
 *   the fact is not found however similar the passages look, and the policy asks again.
 *   A failed search is not remembered. A refused query gets a hint instead of a result.
 *
 * NLR, equations (20)–(23)
 * - β1 and β2 are not given: 0.5 each. Their ratio, 1, is above 5/6: a router that is trained on the
 *   printed reward sends everything local for any question, below 5/6 everything to the web
 *   (src/agent/router/reward.ts). So a trained router, with the policy or without it, learns from
 *   the measured reward at 0.2/0.8, and choosing `paper`
 *   gives a warning.
 * - Whether routing is sampled in evaluation is not given. It is sampled while training; held-out
 *   questions and the command line's `evaluate` (`nlr.routing`) use the more likely source.
 * - The router's initial weights are set by hand (router-prior.ts); training continues from them.
 *
 * Protocol
 * - The answer tags are <short_answer> and <long_answer>; the instruction prompt of the paper is left
 *   out, because the built-in policy is trained on the protocol itself.
 * - Token budgets are ours; at a limit the environment opens the answer block, the long one if the
 *   question asks for a long answer.
 * - Policies whose tags are text get an instruction about the background, both sources and
 *   the two forms of an answer (src/agent/transcript/instruction.ts).
 *
 * Retrieval
 * - The paper's cluster retriever is a setting (`retrieval.method: cluster`), for the built-in world and
 *   imported passages; the recipe leaves the method to the setup, because exact search over a few
 *   thousand passages is faster.
 *
 * Training (`whole`): warm-up, (15) and (16), then DAPO (2503.14476): clip-higher, resampling, token mean
 * - Rollouts run this recipe: RDRA, STIE and the router, which is trained with the policy.
 * - Warm-up (14): the paper uses trajectories of other systems (ReSearch, ZeroSearch), which are about
 *   another world. Here SFT uses the policy's own correct rollouts, half sampled with clean results
 *   and half with noise, equally many in every update (src/learn/curriculum/own-demonstrations.ts).
 *   `warmUp.own: null` uses a file of trajectories.
 * - An epoch of (15) and (16) is a step, and the sampled questions are trained by DAPO, not by supervision:
 *   there is one objective. E is a fifth of the run (paper: 5, of a number of epochs that is not given).
 * - (16) says that noise grows, (15) that gold replaces everything. By default noise is only in what is not gold
 *   yet and ends with it; `curriculum.system.noiseFloor` is the other reading, "the noisier the later".
 * - The reward is (17) for a short answer, (18) for a long one
 *   (reward.ts). The λ are not given.
 * - (19) masks irrelevant documents; here all text of the environment is masked.
 * - DAPO allows 10 batches per step; two keep a step within twice its 64 rollouts. The rest of the step
 *   is filled with groups whose rewards vary though their accuracy does not.
 * - DAPO makes 16 updates on each step's rollouts; four leave at least 16 rollouts for each.
 *
 * `dapo` is DAPO with R_short on the plain search loop, without the mechanisms.
 *
 * Ablations of `whole`, each a change of its settings (docs/methods.md, section 1, has the list).
 */

const share = z.number().min(0).max(1);

export const params = z.strictObject({
  goldEpochs: z.int().min(1).default(20).meta({
    title: 'Steps until gold',
    description: 'E of equation (15): steps until all is gold',
  }),
  noise: share.default(0.5).meta({
    title: 'Most noise',
    description: 'Share of a noisy result that is noise where α of (16) is 1',
  }),
  noiseBy: z
    .enum(['epoch', 'retrievals'])
    .default('epoch')
    .meta({
      title: 'Noise grows by',
      description: 'What e of equation (16) counts',
      choices: { epoch: 'step', retrievals: 'retrieval' },
    }),
  /** How (16) continues after E. Null: noise lives in what is not gold yet and ends with it. */
  noiseFloor: share.default(0.1).nullable().default(null).meta({
    title: 'Noisy groups at E',
    description:
      '“The noisier the later”: share of noisy groups that stays at E and grows on with α of (16); off: all is gold from E on',
  }),
});
export type Params = z.infer<typeof params>;

defineCurriculum('kunlun-baize', {
  draws: 'by gold share and noise (KunLunBaizeRAG)',
  params,
  countsSearches: true,
  needsOneServer: ({ noiseBy }) =>
    noiseBy === 'retrievals'
      ? 'curriculum.system.noiseBy: noise by retrievals counts those of all groups, and each of several servers sees its own; let one server do it, or count epochs'
      : null,
  load: () => import('./curriculum.ts'),
});

const DAPO = {
  ...TRAINING,
  objective: { ...OBJECTIVE, clip: { low: 0.2, high: 0.28 }, aggregation: 'token-mean' },
  dynamicSampling: { by: 'accuracy', maxBatches: 2 },
  overlong: { max: 512, buffer: 128 },
  updates: 4,
} as const satisfies Omit<VariantSettings, 'stages'>;

export const kunlunBaize: Recipe = {
  id: 'kunlun-baize',
  version: '4',
  title: 'KunLunBaizeRAG',
  summary:
    'Background first, then think and search in rounds; repeated queries and answers are filtered, and a router picks local or web.',
  about: {
    paper: '2506.19466',
    kind: 'trained by RL',
    parts: [
      'RDRA: background, then a thought that reads it',
      'STIE over answers and queries',
      'NLR: router beside the policy',
      'gold and noise schedules',
      'short and long rewards by form',
    ],
    differences: [
      'The background is an input of T, and the router chooses its source like for any search.',
      'STIE runs as corrected; the printed version is a setting.',
      'The router learns from the measured reward: with the printed one it would always choose the same source.',
      'The warm-up is SFT on the policy’s own correct rollouts, clean and noisy 1 : 1.',
      'Prose of a long answer is scored by ROUGE-L against gold statements and by the share that passages support.',
      'Budgets, thresholds of the stop rules, K and k are ours if the paper gives none.',
    ],
    published: {
      figure: 'EM +14.82 %, LLM-judged +15.46 %',
      benchmark: 'four question sets of its abstract',
      model: '32B',
    },
    sources: {
      'settings.retrieval.k': 'ours, as Search-R1; not given',
      'settings.background.k': 'ours; not given',
      'settings.stie.candidates': 'ours; not given',
      'settings.stie.thresholds': 'paper, (9)',
      'settings.stie.maxCount': 'paper, (13)',
      'settings.stie.stop.overlapThreshold': 'ours; not given',
      'settings.stie.stop.minHistory': 'ours; not given',
      'settings.stie.stop.epsilon': 'ours; not given',
      'settings.nlr.beta1': 'ours; not given',
      'settings.nlr.beta2': 'ours; not given',
    },
    expectedEffect:
      'Exact match above ReSearch’s, the nearest plain search (paper: +1.3 to +3.3, table 2); searches per question rise in training.',
  },
  settings: {
    ...DEFAULT_SETTINGS,
    retrieval: { ...DEFAULT_SETTINGS.retrieval, source: 'router' },
    background: {
      ...DEFAULT_SETTINGS.background,
      mode: 'shown-and-used-by-T',
      source: 'router',
    },
    stie: {
      ...DEFAULT_SETTINGS.stie,
      mode: 'corrected',
      stop: { ...DEFAULT_SETTINGS.stie.stop, epsilon: 0.000002 },
    },
  },
  training: [
    {
      name: 'whole',
      title: 'the whole recipe',
      differences:
        'The warm-up is SFT on the policy’s own correct rollouts; an epoch of the gold and noise schedules is a step.',
      settings: {
        ...DAPO,
        stages: [{ steps: TRAINING.steps, reward: 'kunlun-by-form', weights: {} }],
        warmUp: {
          own: { rollouts: 256 },
          length: { updates: 12 },
          batch: 16,
          learningRate: 1e-3,
          onlyCorrect: true,
        },
        curriculum: {
          system: { id: 'kunlun-baize', ...params.parse({}) },
        },
        router: { ...TRAINING.router, train: 'beside' },
      },
    },
    {
      name: 'dapo',
      title: 'DAPO on plain search, short reward',
      differences: 'Rollouts run the plain search loop, without RDRA, STIE and NLR.',
      loop: 'search',
      settings: {
        ...DAPO,
        stages: [{ steps: TRAINING.steps, reward: 'kunlun-short', weights: {} }],
      },
    },
  ],
};
