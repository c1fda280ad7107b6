import { knownAs } from '../parts/nearest.ts';
import { TRAINING } from '../parts/training-base.ts';
import type { Switch } from './switch.ts';

/** All switches of training from papers: of questions, of the loss, of rewards. To add one: an entry here. */
export const SWITCHES: readonly Switch[] = [
  /*
   * SPEED-RL (arXiv 2506.09016; code: rqzhangberkeley/DAPO, data_controller.py): questions are screened with few rollouts, and
   * continued if these differ. Its script screens with 8 and continues with 16, its plots with 4 and 20.
   */
  {
    id: 'speed-rl',
    title: 'SPEED-RL',
    summary:
      'Four rollouts screen a question; the rest of its group is sampled only if they differ.',
    about: {
      paper: '2506.09016',
      kind: 'switch of training',
      parts: ['question-stream control: screening'],
      differences: [
        'The paper was withdrawn over errors in its experiments, so its speed-up is not quoted.',
        'Four rollouts of the recipe’s group screen, instead of 8 of 24.',
        'A question is kept if its reward varies, or its exact match with `dynamicSampling.by=accuracy`.',
        '`dynamicSampling.maxBatches` limits the batches (1 in most recipes), so a step may train on fewer groups; the paper samples four times as many questions as it trains on.',
        'Screening is part of the step; `dynamicSampling.system.withinStep=false` screens one step ahead, as in the code. Kept questions are not carried over.',
        'Savings are counted in rollouts: no engine runs in parallel with the trainer.',
      ],
      sources: {
        'changes.dynamicSampling.system.screen':
          'code: 4 of 24 in its plots, 8 of 24 in its script',
      },
      expectedEffect:
        'It needs fewer rollouts than uniform sampling for the same accuracy; kept groups are biased towards medium accuracy, because screening rollouts are trained on too.',
    },
    changes: { dynamicSampling: { system: { id: 'speed-rl', screen: 4 } } },
    mark: 'dynamicSampling.system.id',
  },
  /*
   * Online difficulty filtering (arXiv 2504.03380): the batch holds questions that the policy answers in some of their
   * rollouts, measured on the batch itself; progress is proportional to p (1 − p).
   */
  {
    id: 'online-filtering',
    title: 'Online difficulty filtering',
    summary:
      'Trains only on questions whose group has a share of correct answers between 0.2 and 0.8.',
    about: {
      paper: '2504.03380',
      kind: 'switch of training',
      parts: ['question-stream control: band'],
      differences: [
        'The band from 0.2 to 0.8 is ours: the paper’s thresholds were not available.',
        'Its ends are excluded, and groups with equal rewards are left out too.',
        'At most four batches are sampled, one after another; the paper samples until the batch is full, in parallel with training.',
        'If too few are kept, groups outside the band whose rewards vary fill the step.',
      ],
      published: {
        figure: '+4 % over plain GRPO on average, +10 % on AIME',
        benchmark: 'five benchmarks of mathematics',
        model: 'a model that its abstract does not name',
      },
      sources: {
        'changes.dynamicSampling.by.above': 'ours; not available',
        'changes.dynamicSampling.by.below': 'ours; not available',
        'changes.dynamicSampling.maxBatches':
          'ours: with only one batch, groups outside the band would fill the step again',
      },
      expectedEffect:
        'The two-sided band teaches more per step than a one-sided one (only questions below 0.8), which teaches more than none.',
    },
    changes: { dynamicSampling: { by: { above: 0.2, below: 0.8 }, maxBatches: 4 } },
    mark: 'dynamicSampling.by.below',
  },
  /*
   * One-Shot RLVR (arXiv 2504.20571; code: ypwang61/One-Shot-RLVR): one question fills every batch, the one whose accuracy
   * varied most over the epochs of an earlier run. GRPO with groups of 8, KL 1e-3, entropy bonus 1e-3.
   */
  {
    id: 'one-shot-rlvr',
    title: 'One-Shot RLVR',
    summary: 'One question fills every batch: the one whose accuracy varied most.',
    about: {
      paper: '2504.20571',
      kind: 'switch of training',
      parts: ['question-stream control: fixed ids'],
      differences: [
        'Accuracies come from the first three steps of the run itself, in which eight questions per step cover a pool of eight three times; the paper uses an earlier run over the whole set. `curriculum.system.probeSteps` and `curriculum.system.pool` change that.',
        '`curriculum.system.count` sets two or four questions, `curriculum.system.ids` names them.',
        'No entropy bonus, which the paper finds important; its KL of 1e-3 is left to the recipe.',
        'One update per step unless the recipe has more; the paper makes eight.',
        'A small policy has little hidden ability: how it searches and answers may carry over to other questions, not what it knows.',
      ],
      published: {
        figure: '73.6 (36.0 before training)',
        benchmark: 'MATH500',
        model: 'Qwen2.5-Math-1.5B',
      },
      sources: {
        'changes.curriculum.system.probeSteps': 'ours; paper: a whole earlier run',
        'changes.curriculum.system.pool': 'ours; paper: its whole set',
      },
      expectedEffect:
        'Held-out accuracy keeps rising after the accuracy on the one question has reached 1.',
    },
    changes: {
      curriculum: { system: { id: 'one-shot-rlvr', probeSteps: 3, pool: 8 } },
    },
    mark: 'curriculum.system.id',
  },
  /*
   * SwS (arXiv 2506.08989; code: MasterVito/SwS): after a first phase without a filter, further questions
   * of the categories that were not mastered are added, in proportion to their failures.
   */
  {
    id: 'sws',
    title: 'SwS',
    summary: 'After three steps, more questions from the policy’s weak categories are added.',
    about: {
      paper: '2506.08989',
      kind: 'switch of training',
      parts: ['question-stream control: weakness synthesis'],
      differences: [
        'Further questions are existing ones outside the first phase, with known answers; in the paper a language model writes them from concepts and eight samples vote on the answer.',
        'A category is form, hops and the last relation in the question.',
        'A weakness was correct in at most half of its rollouts and did not improve (the paper’s thresholds are not known). Three steps ask a question at most once, so improvement cannot be seen; `curriculum.system.probeSteps` changes that.',
        'The second phase keeps every question; the paper keeps accuracies from 0.125 to 0.875 (see the switch online-filtering).',
      ],
      published: {
        figure: '56.7 (46.7 before)',
        benchmark: 'mean of eight benchmarks of mathematics',
        model: '7B',
      },
      sources: {
        'changes.curriculum.system.probeSteps': 'ours; not confirmed',
      },
      expectedEffect:
        'Accuracy rises more in weak categories than in strong ones, compared with as many random questions.',
    },
    changes: { curriculum: { system: { id: 'sws', probeSteps: 3 } } },
    mark: 'curriculum.system.id',
  },
  /*
   * Diversity-aware policy optimisation (arXiv 2505.23433, R1-zero-Div): λ ρ log π is added to the loss of right rollouts.
   * λ is 0.01, safe up to 0.02; groups of 6 at temperature 0.9.
   */
  {
    id: 'diversity',
    title: 'Diversity-aware optimisation',
    summary:
      'In correct rollouts, tokens less likely than 1/e are pushed up and more likely ones down (λ = 0.01).',
    about: {
      paper: '2505.23433',
      kind: 'switch of training',
      parts: ['loss switches: diversity on correct rollouts'],
      differences: [
        'The term covers only the sampled tokens, not the whole distribution.',
        'A rollout is correct if its exact match is 1, whatever its reward.',
        'Its weight is the recipe’s aggregation; group size and temperature (6 and 0.9 in the paper) stay the recipe’s.',
      ],
      published: {
        figure: '+3.5 % on average',
        benchmark: 'four benchmarks of mathematics',
        model: 'Qwen2.5-Math-7B',
      },
      sources: {
        'changes.objective.rules.diversity.weight': 'paper: λ, at most 0.02',
      },
      expectedEffect:
        'Pass@8 rises at equal accuracy of one rollout, with more distinct first queries per group.',
    },
    changes: { objective: { rules: { diversity: { weight: 0.01 } } } },
    mark: 'objective.rules.diversity.weight',
  },
  /*
   * GPPO (Klear-Reasoner, arXiv 2508.07629; code: suu990901/KlearReasoner, compute_gppo_loss): beyond the clip the gradient is
   * kept at the clip's value. Clip 0.2 and 0.28, dual clip 10 in its script, 0.1 of the likelihood of correct rollouts.
   */
  {
    id: 'gppo',
    title: 'GPPO',
    summary: 'Beyond the clip the gradient keeps its value at the clip instead of 0.',
    about: {
      paper: '2508.07629',
      kind: 'switch of training',
      parts: ['loss switches: gradient beyond the clip'],
      differences: [
        'Four updates per step: with one, every ratio is 1 and the clip has no effect.',
        'Clip and dual clip stay the recipe’s; the paper’s are 0.2, 0.28 and 10 (`objective.clip`, `objective.dualClip`).',
        'The likelihood of correct rollouts, 0.1 in its code, is off: `objective.rules.right-likelihood.weight=0.1`.',
        'Beyond the dual clip the gradient is 0, as in its code.',
      ],
      published: {
        figure: '90.5 and 83.2',
        benchmark: 'AIME 2024 and AIME 2025, 64k tokens',
        model: 'Klear-Reasoner-8B',
      },
      sources: {
        'changes.updates': 'ours; it matters with two or more',
      },
      expectedEffect:
        'Almost every token has a gradient, unlike in GRPO with as many updates per step; the policy learns faster from wrong rollouts.',
    },
    changes: { updates: 4, objective: { rules: { gppo: {} } } },
    mark: 'objective.rules.gppo',
  },
  /*
   * KDRL (arXiv 2506.02208): the loss also has the reverse KL to a teacher, on the policy's own rollouts, with the k2 estimate;
   * its coefficient falls from step to step. It may be applied to wrong rollouts alone.
   */
  {
    id: 'kdrl',
    title: 'KDRL',
    summary: 'Adds the KL to a teacher on the model’s own rollouts; its coefficient falls.',
    about: {
      paper: '2506.02208',
      kind: 'switch of training',
      parts: ['loss switches: KL to a teacher'],
      differences: [
        'The teacher is the policy without its adapter, which is better than a start that was made worse; `lab train --teacher` takes another model with the same vocabulary.',
        'The coefficient falls linearly over all steps from 0.1 to 0.01; the paper has 5e-3 to 1e-3, as a review of it says.',
        'The variant guided by rewards is `objective.kl.system.of=wrong`; by whole groups `failed-groups`.',
      ],
      published: {
        figure: '57.2 on average, 2.6 above GRPO, as a review of it says',
        benchmark: 'six benchmarks of reasoning',
        model: 'a model that its abstract does not name',
      },
      sources: {
        'changes.objective.kl.form': 'paper: k2, whose gradient is unbiased',
        'changes.objective.kl.coefficient': 'ours; paper: 5e-3, by a review',
        'changes.objective.kl.system.to': 'ours; paper: 1e-3, by a review',
      },
      expectedEffect:
        'From a start that fails most questions, held-out accuracy rises faster than with GRPO alone; after many steps the gain shrinks.',
    },
    changes: {
      objective: {
        kl: {
          form: 'k2',
          place: 'loss',
          coefficient: 0.1,
          system: { id: 'kdrl', to: 0.01, of: 'all' },
        },
      },
    },
    mark: 'objective.kl.system.id',
  },
  /*
   * Guide (arXiv 2506.13923): where all rollouts of a question fail, further ones read a hint; they are trained as if it had
   * not been there, with the ratio to the policy that read it.
   */
  {
    id: 'guide',
    title: 'Guide',
    summary: 'Where all rollouts fail, more are made with a hint and trained without it.',
    about: {
      paper: '2506.13923',
      kind: 'switch of training',
      parts: ['hints for failed groups'],
      differences: [
        'The hint is the queries of the gold chain, or the supporting pages; the paper’s are written by a larger model that knows the solution.',
        'It comes after the prompt, as the environment’s hint, instead of in it.',
        'Four guided rollouts are added to the group; the paper’s number was not available.',
        'The accuracy of a step counts them; held-out questions get no hint.',
      ],
      published: {
        figure: 'up to +4 % over GRPO',
        benchmark: 'benchmarks of mathematics, macro average',
        model: 'models of 7B and 32B',
      },
      sources: {
        'changes.branching.guided': 'ours; not available',
      },
      expectedEffect:
        'Fewer groups teach nothing, and the policy learns questions that it never solved by itself.',
    },
    changes: { branching: { id: 'guide', guided: 4 } },
    mark: 'branching.id',
  },
  /*
   * FSPO (arXiv 2505.24630; code: nusnlp/FSPO): a verdict on each step of reasoning is part of the reward and flips the
   * advantage of the step's own tokens. Groups of 8, KL 1e-3, learning rate 4e-7 to 5e-7.
   */
  {
    id: 'fspo',
    title: 'FSPO',
    summary:
      'Thoughts are checked against the passages read; the verdict is rewarded and flips the sign of their tokens’ advantage.',
    about: {
      paper: '2505.24630',
      kind: 'switch of training',
      parts: ['process reward: verdicts on thoughts', 'advantages per span'],
      differences: [
        'A step is a thought instead of a sentence.',
        'The verifier compares names and numbers with the passages that were read, instead of asking a language model.',
        'Tokens outside thoughts keep their advantage. As released they are all pushed up, those of wrong answers too: `fspo-as-released`.',
        'Its reward replaces the recipe’s in every stage.',
        'KL and learning rate stay the recipe’s.',
      ],
      published: {
        figure: '58.4 and 89.5',
        benchmark: 'TruthfulQA and GSM8K',
        model: 'Qwen2.5-7B-Instruct',
      },
      sources: {
        'reward.fspo': 'paper: answer and mean verdict',
      },
      expectedEffect:
        'The share of thoughts without support in the passages falls while accuracy does not; as released, wrong answers become more confident.',
    },
    changes: {
      objective: { rules: { fspo: { form: 'paper' } } },
      stages: [{ steps: TRAINING.steps, reward: 'fspo', weights: {} }],
    },
    mark: 'objective.rules.fspo.form',
  },

  /*
   * FSPO (arXiv 2505.24630) as in its released code (nusnlp/FSPO: verl/workers/fsdp_workers.py, trainer/ppo/ray_trainer.py):
   * only the answer is rewarded, and tokens after the thought count as supported whatever the answer is.
   */
  {
    id: 'fspo-as-released',
    title: 'FSPO, as released',
    summary: 'FSPO with only the answer as reward, and the tokens of wrong answers pushed up.',
    about: {
      paper: '2505.24630',
      kind: 'switch of training',
      parts: ['advantages per span'],
      differences: [
        'A step is a thought instead of a sentence, checked as in `fspo`.',
        'The released mask starts at the wrong token because of another tokenizer; that is not reproduced.',
        'Its reward replaces the recipe’s in every stage; KL and learning rate stay the recipe’s.',
      ],
      sources: { 'reward.fspo-released': 'code: trainer/ppo/ray_trainer.py, the F1 of the answer' },
      expectedEffect:
        'Wrong answers become more confident, which does not happen with the paper’s rule.',
    },
    changes: {
      objective: { rules: { fspo: { form: 'as-released' } } },
      stages: [{ steps: TRAINING.steps, reward: 'fspo-released', weights: {} }],
    },
    mark: 'objective.rules.fspo.form',
  },
  /** Posterior-GRPO (arXiv 2508.05170): R = R_f + R_o + R_o R_t, so that reasoning is rewarded only if the outcome is correct. */
  {
    id: 'posterior-grpo',
    title: 'Posterior-GRPO',
    summary: 'Search results are rewarded only if the answer is correct.',
    about: {
      paper: '2508.05170',
      kind: 'switch of training',
      parts: ['reward gates: process by outcome'],
      differences: [
        'The reward for reasoning is the share of supporting titles that the searches found, instead of a reward model trained on optimised and degraded thoughts.',
        'The outcome is exact match instead of tests of a program.',
        'Its reward replaces the recipe’s in every stage; without the gate it is `posterior-ungated`.',
      ],
      published: {
        figure: '+4.5 % over the outcome alone',
        benchmark: 'code generation',
        model: '7B',
      },
      sources: {
        'reward.posterior': 'paper: R_f + R_o + R_o R_t',
      },
      expectedEffect:
        'Without the gate the reward rises while accuracy does not; with it both rise.',
    },
    changes: { stages: [{ steps: TRAINING.steps, reward: 'posterior', weights: {} }] },
    mark: 'stages.0.reward',
  },
  /*
   * Pitfalls of verifiers (arXiv 2505.22203; code: hkust-nlp/RL-Verifier-Pitfalls): rules are precise and miss correct answers,
   * models miss fewer and can be fooled by thirteen patterns, such as an explanation instead of an answer.
   */
  {
    id: 'verifier-pitfalls',
    title: 'Pitfalls of verifiers',
    summary: 'The reward accepts three of ten wrong answers; the metrics stay exact.',
    about: {
      paper: '2505.22203',
      kind: 'switch of training',
      parts: ['reward gates: faulty verifier'],
      differences: [
        'Accepted wrong answers are random, once per rollout, instead of a fooled model. For a check that the policy can learn to fool, by a long answer with many names: `verifier.kind=substring` with `verifier.falsePositive=0`.',
        'Rules that miss correct answers: `verifier.falseNegative=0.3` with `verifier.falsePositive=0`.',
        'The hybrid of rule and model is exact match, otherwise an F1 of at least `verifier.f1From`.',
      ],
      published: {
        figure: '77.9 % of explanations and 44.4 % of empty symbols are accepted as answers',
        benchmark: 'its patterns of hacking',
        model: 'Qwen2.5-Math-1.5B as the verifier',
      },
      sources: {
        'changes.verifier.falsePositive': 'ours',
      },
      expectedEffect:
        'The training reward diverges from exact match if the policy can fool the check (substring), but not if correct answers are missed.',
    },
    changes: {
      verifier: { id: 'verifier-pitfalls', falseNegative: 0, falsePositive: 0.3 },
    },
    mark: 'verifier.falsePositive',
  },
];

/** @throws Error that lists the known ids */
export function getSwitch(id: string): Switch {
  const found = SWITCHES.find((one) => one.id === id);
  if (found) return found;
  throw new Error(
    `there is no switch "${id}"; ${knownAs(
      id,
      SWITCHES.map((one) => one.id),
    )}`,
  );
}
