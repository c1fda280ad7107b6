import type { TermId } from './terms.ts';

/** The text of a term, in its explanation and in the list under `?`. */
export interface Entry {
  name: string;
  /** One sentence, or two. */
  text: string;
  /** How it is computed here. */
  formula?: string;
  /** Paper and equation, or the source of the convention. */
  source?: string;
}

const KUNLUN = 'KunLunBaizeRAG, arXiv 2506.19466';

/** Every term of the page that needs an explanation: opened in place, and listed under `?`. */
export const GLOSSARY: Readonly<Record<TermId, Entry>> = {
  em: {
    name: 'EM, exact match',
    text: 'Whether the answer equals a gold answer after normalisation: lower case, no punctuation, no articles.',
    formula: 'EM = max over gold answers of [norm(answer) = norm(gold)]',
    source: 'SQuAD, arXiv 1606.05250',
  },
  f1: {
    name: 'F1',
    text: 'Word overlap of the answer with a gold answer: partial credit for a partial answer.',
    formula: 'F1 = 2 · precision · recall / (precision + recall), over words',
    source: 'SQuAD, arXiv 1606.05250',
  },
  'cover-em': {
    name: 'cover-EM',
    text: 'Whether the answer contains every word of a gold answer, in any order. Long answers are not penalised.',
  },
  'sub-em': {
    name: 'sub-EM',
    text: 'Whether the answer contains a gold answer as a substring, after normalisation as for EM. Word order matters.',
    formula: 'sub-EM = max over gold answers of [norm(gold) is a substring of norm(answer)]',
  },
  recall: {
    name: 'recall',
    text: 'Share of the supporting passages (by title) that at least one search retrieved.',
  },
  format: {
    name: 'format',
    text: 'Whether the model kept to the format: tags closed and in order, one answer, no open query.',
  },
  reward: {
    name: 'reward',
    text: 'The training reward of a rollout: a sum of clauses, each assigned to the tokens that earned it.',
    formula: 'R = Σ λ · clause',
  },
  'r-fmt': {
    name: 'R_fmt, format reward',
    text: 'Is 1 if the whole output follows the format, else 0.',
  },
  'r-len': {
    name: 'R_len, length reward',
    text: 'Is 1 up to a target number of tokens, falling linearly to 0 at twice the target; 0 without an answer. The paper names it but does not define it.',
    formula: 'R_len = clamp(2 − tokens / target, 0, 1); target 160, of long answers 320',
    source: `${KUNLUN}, (17); definition ours`,
  },
  'r-acc': {
    name: 'R_acc, accuracy reward',
    text: 'EM for a short answer. For a long answer: F1 of its box or, if the question has a gold summary, the mean of F1 and ROUGE-L.',
    source: `${KUNLUN}, (17); of long answers ours`,
  },
  'r-struct': {
    name: 'R_struct, structure reward',
    text: 'For a long answer: half for its tag, half for the share of its statements that a retrieved passage supports.',
    formula: 'R_struct = 0.5 + 0.5 · supported; 0 in the short form',
    source: `${KUNLUN}, (18); definition ours`,
  },
  advantage: {
    name: 'advantage',
    text: 'How much more a rollout earned than its siblings on the same question. Above 0, its tokens become more likely.',
    formula: 'A = (R − mean of the group) / (std of the group)   (GRPO)',
    source: 'DeepSeekMath, arXiv 2402.03300',
  },
  'rouge-l': {
    name: 'ROUGE-L',
    text: 'Overlap of a long answer with the gold summary, by longest common subsequences of words.',
    source: 'Lin 2004, at the level of summaries',
  },
  supported: {
    name: 'supported',
    text: 'Share of a long answer’s statements whose names and numbers all occur in one retrieved passage.',
  },
  judge: {
    name: 'judge, LJ',
    text: 'A language model’s verdict on whether an answer means the same as a gold answer.',
  },
  rdra: {
    name: 'RDRA, background alignment',
    text: 'First retrieve for the question; then write a thought that says what to look for, given this background; then search with that thought.',
    formula: 'D0 = top-k(x),  t = T(x, D0),  D = top-k(t),  y = G(x, t, D)',
    source: `${KUNLUN}, (1)–(4)`,
  },
  d0: {
    name: 'D0, background',
    text: 'The passages retrieved for the question itself, before any thought.',
    source: `${KUNLUN}, (1)`,
  },
  stie: {
    name: 'STIE, redundancy filter',
    text: 'Short answers are probed after every round. A query or answer too similar to earlier ones is refused or replaced; an answer given too often is blocked.',
    source: `${KUNLUN}, (5)–(13)`,
  },
  candidate: {
    name: 'candidate answer',
    text: 'A short answer requested from the model after a round, with its confidence; the rollout then continues without it.',
    source: `${KUNLUN}, (5)`,
  },
  diff: {
    name: 'Diff',
    text: 'Share of an answer’s or query’s words that an earlier one does not have.',
    formula: 'Diff(y, y′) = 1 − |words(y) ∩ words(y′)| / |words(y)|',
    source: `${KUNLUN}, (6), (7)`,
  },
  'agg-diff': {
    name: 'AggDiff',
    text: 'The smallest Diff to the last three.',
    formula: 'AggDiff = min over lags 1 to 3 of Diff',
    source: `${KUNLUN}, (8)`,
  },
  delta: {
    name: 'δ, thresholds',
    text: 'The Diff needed to pass: 0.25 from the last, 0.5 from the second last, 0.75 from the third last.',
    source: `${KUNLUN}, (9)`,
  },
  blocked: {
    name: 'B, blocked set',
    text: 'Answers given N = 4 times; they are not proposed again.',
    formula: 'B = { y : n(y) ≥ N }',
    source: `${KUNLUN}, (12), (13)`,
  },
  nlr: {
    name: 'NLR, router',
    text: 'Chooses the local corpus or the web for every search; trained on what each call cost and what it found.',
    formula: 'R(a) = β1 · R_eff(a) + β2 · R_info(a)',
    source: `${KUNLUN}, (20)–(23)`,
  },
  'router-odds': {
    name: 'π(local), π(web)',
    text: 'Probabilities that the router sends a search to the local corpus or to the web; their sum is 1.',
    formula: 'π(local) + π(web) = 1',
    source: `${KUNLUN}, (20)–(23)`,
  },
  beta: {
    name: 'β1, β2',
    text: 'Weights of efficiency and information in the router’s reward. With the reward as printed, only whether their ratio exceeds 5/6 matters, for every question.',
    source: `${KUNLUN}, (20)–(22)`,
  },
  gold: {
    name: 'gold',
    text: 'The reference answers of the question set, and the passages that support them.',
  },
  hop: {
    name: 'hop',
    text: 'One step of the chain to the answer: a subject, a relation, its value, and the passage that states it.',
  },
  rollout: {
    name: 'rollout',
    text: 'One attempt at one question, from the prompt to the end: all tokens and events.',
  },
  group: {
    name: 'group',
    text: 'The rollouts of one question in one step; the advantage compares them.',
  },
  fork: {
    name: 'fork',
    text: 'A rollout that copies the first events of another one, token for token, and continues with one change.',
  },
  round: { name: 'round', text: 'One thought, its query and its result.' },
  mask: {
    name: 'mask',
    text: 'The tokens that the loss trains: those the model wrote, none that the environment inserted.',
  },
  recipe: {
    name: 'recipe',
    text: 'A system as data: its loop, its constants, and how it is trained.',
  },
  'log-probability': {
    name: 'log-probability',
    text: 'Log of the probability that the model gave to the sampled token, at the sampling temperature. 0 = certain.',
    formula: 'ln π(token | all before it)',
  },
  grpo: {
    name: 'GRPO',
    text: 'Policy gradient with the mean reward of a question’s group as baseline; no critic.',
    formula: 'A = (R − mean) / (std + 10⁻⁶)',
    source: 'DeepSeekMath, arXiv 2402.03300',
  },
  'dr-grpo': {
    name: 'Dr. GRPO',
    text: 'GRPO without division by the standard deviation and by the length of a rollout, which favour some questions and long wrong answers.',
    formula: 'A = R − mean',
    source: 'arXiv 2503.20783',
  },
  rloo: {
    name: 'RLOO',
    text: 'The baseline of a rollout is the mean of the other rollouts of its group.',
    formula: 'A_i = R_i − mean of R_j, j ≠ i',
    source: 'arXiv 2402.14740',
  },
  reinforce: {
    name: 'REINFORCE++',
    text: 'Advantages against the group mean, whitened over all tokens of the batch.',
    source: 'arXiv 2501.03262',
  },
  dapo: {
    name: 'DAPO',
    text: 'GRPO with a higher upper clip, resampling of groups that are all right or all wrong, a token-level mean, and a soft length limit.',
    formula: 'clip to [1 − 0.2, 1 + 0.28]',
    source: 'arXiv 2503.14476',
  },
  ppo: {
    name: 'PPO',
    text: 'Policy gradient with a clipped ratio, and a critic that estimates the value of each token’s state.',
    formula: '−min(ρ A, clip(ρ, 1 − ε, 1 + ε) A)',
    source: 'arXiv 1707.06347',
  },
  gae: {
    name: 'GAE, generalised advantage estimation',
    text: 'Per-token advantages from a critic: the return beyond the critic’s estimate, with later errors discounted by γ λ per token.',
    formula: 'A_t = Σ_k (γ λ)^k δ_(t+k),  δ_t = r_t + γ V_(t+1) − V_t',
    source: 'arXiv 1506.02438',
  },
  gamma: {
    name: 'γ, discount',
    text: 'How much a reward counts per token of delay; at 1, delay does not matter.',
    source: 'arXiv 1506.02438',
  },
  gppo: {
    name: 'GPPO',
    text: 'PPO whose clipped tokens keep a gradient, limited to the size at the clip; PPO sets it to 0.',
    source: 'Klear-Reasoner, arXiv 2508.07629',
  },
  fspo: {
    name: 'FSPO',
    text: 'A verdict per reasoning step (do the passages support it?) is part of the reward and changes the advantage of its tokens.',
    source: 'arXiv 2505.24630',
  },
  hrpo: {
    name: 'HRPO',
    text: 'While thinking, the model reads each sampled token mixed with the expected embedding; the gates of the mixture are trained.',
    source: 'arXiv 2505.18454',
  },
  sft: {
    name: 'SFT, supervised fine-tuning',
    text: 'Maximises the likelihood of given texts, without a reward.',
    formula: 'L = −mean of ln π(token | all before it)',
  },
  dpo: {
    name: 'DPO',
    text: 'Of two texts on one question, the better becomes more likely than the worse, relative to the initial policy.',
    formula: 'L = −ln σ(β (ln π/π_ref of the better − ln π/π_ref of the worse))',
    source: 'arXiv 2305.18290',
  },
  ur2: {
    name: 'UR²',
    text: 'Two stages of reinforcement learning (first rewarding searches, then right answers), over questions sorted by difficulty, with summaries instead of passages.',
    source: 'arXiv 2508.06165',
  },
  kl: {
    name: 'KL',
    text: 'How far the policy has moved from the initial policy of the run.',
    formula: 'k3 = e^d − d − 1,  d = ln π_ref − ln π',
  },
  clip: {
    name: 'clip',
    text: 'Share of tokens whose ratio to the sampling policy is outside the clip range, where the loss has no gradient.',
  },
  gap: {
    name: 'gap',
    text: 'Largest difference between the log-probabilities of sampler and trainer for the same tokens. It should be near 0; otherwise the update is off-policy.',
  },
  lora: {
    name: 'LoRA',
    text: 'Trains small matrices next to the frozen weights: W + (α / r) · B A, of rank r.',
    source: 'arXiv 2106.09685',
  },
  webgpu: {
    name: 'WebGPU',
    text: 'The browser’s interface to the GPU. Without it, the model runs in WebAssembly on the CPU.',
    source: 'W3C, WebGPU',
  },
  snapshot: {
    name: 'snapshot',
    text: 'A saved training state with its adapter, from which a run can be resumed; the last two of a run are kept.',
  },
  'held-out': {
    name: 'held-out',
    text: 'Questions scored before and during training, and never trained on.',
  },
  'warm-up': {
    name: 'cold start',
    text: 'Supervised fine-tuning (SFT) on demonstrations before reinforcement learning.',
  },
  curriculum: { name: 'curriculum', text: 'Which questions each step draws.' },
  temperature: {
    name: 'temperature',
    text: 'Logits are divided by it before sampling: 0 takes the most likely token, 1 samples the model’s own distribution.',
  },
  k: { name: 'k', text: 'Number of passages per search.' },
  bm25: {
    name: 'BM25',
    text: 'Ranks passages by the query words they contain; rare words count more, long passages less.',
    source: 'BM25+, k1 = 1.2, b = 0.7, δ = 0.5',
  },
  hnsw: {
    name: 'HNSW',
    text: 'Finds near vectors through a layered graph of neighbours, without comparing with every vector.',
    source: 'arXiv 1603.09320',
  },
  rag: {
    name: 'RAG, retrieval-augmented generation',
    text: 'The model answers from retrieved passages instead of from memory.',
    source: 'arXiv 2005.11401',
  },
  interval: {
    name: 'interval',
    text: 'Contains 95 % of the values when the same questions are resampled with replacement (bootstrap). It does not cover other question sets. If all values are equal, a share has Wilson’s interval, a difference of right answers Bonett and Price’s, and any other number none.',
  },
  holm: {
    name: 'Holm’s correction',
    text: 'With many comparisons some differ by chance; p-values are raised so that the chance of any false positive is at most 5 %.',
    source: 'Holm 1979',
  },
};
