import type { Recipe, VariantSettings } from './parts/recipe.ts';
import { DEFAULT_SETTINGS } from './parts/settings.ts';
import { OBJECTIVE, TRAINING } from './parts/training-base.ts';

/*
 * KunLunBaizeRAG (arXiv 2506.19466). Differences from the paper, and choices where it leaves one:
 *
 * RDRA, equations (1)–(4)
 * - (1) is not an input of (2) in the formulas, though the text says it is. Here T reads D0
 *   (`shown-and-used-by-T`). With `shown`, T writes its thought in a context without the
 *   background, and that thought is then inserted behind background and question. It was sampled
 *   elsewhere, so those tokens carry no log-probabilities and are masked from the loss.
 * - (3) retrieves by t. t contains the retrieval intention; the query that the policy writes right
 *   after t states it, and is what retrieves (`intention`). `thought` retrieves by t's own text.
 * - k is not given for the background: 2.
 * - Where the background comes from is not said. It passes through the router like any call
 *   (`background.source: 'router'`), with a route event and a reward of its own; it is not a search, and
 *   does not count as one. `both`, `local` and `web` are arms that say that it does not.
 *
 * STIE, equations (5)–(13), `mode: corrected`; `paper` switches all of these back
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
 *   (12)–(13), works with both. How often each clause fired stands with every rollout and every step of
 *   training (src/agent/stie/counts.ts).
 * - Of a question that wants a long answer, candidates are short all the same; where a stop rule ends the
 *   reasoning, the policy writes the long answer itself.
 * - The thresholds of the stop rules are not given: mean overlap 0.9 with at least three earlier
 *   answers, ε = 0.000002, no new entity and no new sentence. Three, because a probed policy guesses
 *   among the things that a comparison names before it has looked at both: with two, four-hop
 *   questions stopped one search short, on a guess. 0.000002, because a policy that reads well is as sure
 *   of what is on the way to the answer as of the answer: on 300 dev questions of the world of seed 77
 *   0.0002 cost 3.6 points of EM, 0.00002 half a point, and 0.000002 nothing; a stop that is not made costs one
 *   thought, a wrong one the answer.
 * - Agreement counts as convergence only for an answer that passages support; without support it is
 *   an answer that is stuck, and at N = 4 it is blocked, as "Russia" is in the paper's example. "Yes"
 *   and "no" are never blocked, for to block one is to choose the other. An answer is blocked from
 *   the round after the one that reached N, since M_t of (5) ends at y_{t−1}.
 * - The same rule runs over queries. `paper` applies (9) as it stands. Consecutive hops rightly
 *   share words ("director of X", "birth city of Y"), so `corrected` lets a query pass that names
 *   something else, or asks something else of the same name, than each query it resembles, or that is
 *   wider: (9) divides by the words of y_t, so that "X" repeats "director of X" wholly, though it finds
 *   other pages (refused, such queries cost 4.3 points of EM on those 300 questions). A query
 *   that was asked of one source alone may be repeated once, to the other: a router that chose wrong
 *   leaves the fact unfound however near the passages look, and the policy says so by asking again.
 *   A search that failed is not remembered. A refused query is answered with a hint, not a result.
 *
 * NLR, equations (20)–(23)
 * - β1 and β2 are not given: 0.5 each. Their ratio, 1, is above 5/6: a router that is trained on the
 *   printed reward then sends everything local whatever the question, below 5/6 everything to the web
 *   (src/agent/router/reward.ts). So a router that is trained, beside the policy or alone, learns from
 *   the measured reward at 0.2/0.8 (`router.nlr` of the training), and whoever chooses `paper`
 *   there is warned.
 * - Not said is whether routing is sampled when evaluated. It is sampled while training, and the likelier
 *   source is taken for held-out questions (`router.evaluation`) and by the command line's `evaluate`
 *   (`nlr.routing`), which routes a run as its held-out questions are.
 * - The router's initial weights are set by hand (router-prior.ts); the whole training continues from them.
 *
 * Protocol
 * - The answer tags are <short_answer> and <long_answer>; the instruction prompt of the paper is left
 *   out, because the built-in policy is trained on the protocol itself.
 * - Budgets in tokens are ours; at a limit the environment opens the answer block, the long one where the
 *   question asks for a long answer.
 * - Policies with other tags than tokens of their own are notified of the background, of both sources and of
 *   the two forms of an answer (src/agent/transcript/instruction.ts).
 *
 * Retrieval
 * - The paper's cluster retriever is a setting (`retrieval.method: cluster`), on the built-in world and on
 *   imported passages; the recipe leaves the method to the setup, because a corpus of a few thousand
 *   passages is searched whole in less time.
 *
 * Training (`whole`): warm-up, (15) and (16), then DAPO (2503.14476): clip-higher, resampling, token mean
 * - Rollouts run this very recipe: RDRA, STIE and the router, which learns beside the policy.
 * - Warm-up (14): the paper takes trajectories of other systems (ReSearch, ZeroSearch), which speak of
 *   another world. Here the policy's own right rollouts are learned from, half sampled with clean results
 *   and half with noise, as many of each in every update (src/learn/curriculum/own-demonstrations.ts).
 *   `warmUp.from: given` takes a file of trajectories.
 * - An epoch of (15) and (16) is a step, and what is drawn by them is trained by DAPO, not by supervision:
 *   there is one objective. E is a fifth of the run, the paper's 5 of no given number of epochs.
 * - (16) says that noise grows, (15) that gold takes all. As a default noise lives in what is not gold yet
 *   and ends with it; `curriculum.noiseReading: floor` is the other reading, "the noisier the later".
 * - The reward is (17) for a question that wants a short answer, (18) for one that wants a long one
 *   (src/learn/rewards/kunlun-baize.ts). The λ are not given.
 * - (19) masks irrelevant documents; here all of what the environment wrote.
 * - DAPO allows 10 batches a step; two keep a step within twice its 64 rollouts. What is still missing
 *   is filled with groups whose rewards vary though their accuracy does not.
 * - DAPO makes 16 updates of each step's rollouts; four leave 16 rollouts or more to each.
 *
 * `dapo` is DAPO with R_short on the plain search loop, without any of the mechanisms.
 *
 * Ablations of `whole`, each a change of its settings (docs/methods.md, section 1, has the list).
 */

const DAPO = {
  ...TRAINING,
  objective: { ...OBJECTIVE, clip: { low: 0.2, high: 0.28 }, aggregation: 'token-mean' },
  dynamicSampling: { on: true, by: 'accuracy', maxBatches: 2 },
  overlong: { max: 512, buffer: 128, factor: 1 },
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
      'The background is an input of T, and passes through the router like any search.',
      'STIE runs as corrected; as printed it is a setting.',
      'The router learns from the measured reward: the printed one trains a constant.',
      'The warm-up learns from right rollouts of the policy itself, clean and noisy 1 : 1.',
      'Prose of a long answer is scored by ROUGE-L against gold statements and by the share that passages support.',
      'Budgets, thresholds of the stop rules, K and k are ours where the paper gives none.',
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
      'Exact match not below plain search at fewer searches or less latency; without RDRA a search more a question.',
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
        'The warm-up learns from right rollouts of the policy itself; an epoch of the gold and noise schedules is a step.',
      settings: {
        ...DAPO,
        stages: [{ steps: TRAINING.steps, reward: 'kunlun-by-form', weights: {} }],
        warmUp: {
          from: 'own',
          rollouts: 256,
          updates: 12,
          batch: 16,
          learningRate: 1e-3,
          onlyCorrect: true,
        },
        curriculum: {
          ...TRAINING.curriculum,
          kind: 'gold-noise',
          goldEpochs: 20,
          noiseReading: 'rest',
          noiseFloor: 0.1,
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
