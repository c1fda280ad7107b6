import type { TermId } from './terms.ts';

/** What is said of a term, in its explanation and in the list under `?`. */
export interface Entry {
  name: string;
  /** One sentence, or two. */
  text: string;
  /** As it is computed here. */
  formula?: string;
  /** Paper and equation, or whose convention it is. */
  source?: string;
}

const KUNLUN = 'KunLunBaizeRAG, arXiv 2506.19466';

/** Every word of the page that needs one sentence: opened where it stands, and listed whole under `?`. */
export const GLOSSARY: Readonly<Record<TermId, Entry>> = {
  em: {
    name: 'EM, exact match',
    text: 'Whether the answer equals a gold answer after both were normalised: lower case, no punctuation, no articles.',
    formula: 'EM = max over gold answers of [norm(answer) = norm(gold)]',
    source: 'SQuAD, arXiv 1606.05250',
  },
  f1: {
    name: 'F1',
    text: 'Overlap of the answer’s words with a gold answer’s, half credit for half an answer.',
    formula: 'F1 = 2 · precision · recall / (precision + recall), over words',
    source: 'SQuAD, arXiv 1606.05250',
  },
  'cover-em': {
    name: 'cover-EM',
    text: 'Whether every word of a gold answer is among the answer’s: long answers are not punished for their length.',
  },
  'sub-em': {
    name: 'sub-EM',
    text: 'Whether a gold answer stands in the answer as it is, after both were normalised as for EM: the same words in another order do not count.',
    formula: 'sub-EM = max over gold answers of [norm(gold) is a substring of norm(answer)]',
  },
  recall: {
    name: 'recall',
    text: 'Share of the supporting passages, by title, that some search brought back.',
  },
  format: {
    name: 'format',
    text: 'Whether the policy kept to the protocol: tags closed and in order, one answer, no query left open.',
  },
  reward: {
    name: 'reward',
    text: 'What a rollout earns in training: a sum of clauses, each with the tokens that earned it.',
    formula: 'R = Σ λ · clause',
  },
  'r-fmt': {
    name: 'R_fmt, format reward',
    text: 'Whether the output follows the protocol throughout: 1 or 0.',
  },
  'r-len': {
    name: 'R_len, length reward',
    text: 'Is 1 up to a target of tokens and falls in a line to 0 at twice the target; 0 without an answer. The paper names it and does not define it.',
    formula: 'R_len = clamp(2 − tokens / target, 0, 1); target 160, of long answers 320',
    source: `${KUNLUN}, (17); definition ours`,
  },
  'r-acc': {
    name: 'R_acc, accuracy reward',
    text: 'EM of a short answer. Of a long one F1 of its box or, where the question has a gold summary, the mean of that and ROUGE-L.',
    source: `${KUNLUN}, (17); of long answers ours`,
  },
  'r-struct': {
    name: 'R_struct, structure reward',
    text: 'Of a long answer: half for its own tag, half for the share of its statements that a retrieved passage supports.',
    formula: 'R_struct = 0.5 + 0.5 · supported; 0 in the short form',
    source: `${KUNLUN}, (18); definition ours`,
  },
  advantage: {
    name: 'advantage',
    text: 'How much more a rollout earned than its siblings on the same question. Its tokens become likelier where it is above 0.',
    formula: 'A = (R − mean of the group) / (std of the group)   (GRPO)',
    source: 'DeepSeekMath, arXiv 2402.03300',
  },
  'rouge-l': {
    name: 'ROUGE-L',
    text: 'How much of the gold summary a long answer follows, by longest common subsequences of words.',
    source: 'Lin 2004, at the level of summaries',
  },
  supported: {
    name: 'supported',
    text: 'Share of a long answer’s statements whose names and numbers stand in one retrieved passage.',
  },
  judge: {
    name: 'judge, LJ',
    text: 'A language model’s verdict whether an answer means the same as a gold answer.',
  },
  rdra: {
    name: 'RDRA, background alignment',
    text: 'Retrieve for the question first, then write a thought that reads this background and says what to look for; the search goes by that thought.',
    formula: 'D0 = top-k(x),  t = T(x, D0),  D = top-k(t),  y = G(x, t, D)',
    source: `${KUNLUN}, (1)–(4)`,
  },
  d0: {
    name: 'D0, background',
    text: 'The passages that were retrieved for the question itself, before any thought.',
    source: `${KUNLUN}, (1)`,
  },
  stie: {
    name: 'STIE, redundancy filter',
    text: 'After every round short answers are probed; a query or answer too like earlier ones is refused or replaced, one that comes back too often is blocked.',
    source: `${KUNLUN}, (5)–(13)`,
  },
  candidate: {
    name: 'candidate answer',
    text: 'A short answer that the policy is asked for after a round, with how certain it is of it; the rollout goes on from there.',
    source: `${KUNLUN}, (5)`,
  },
  diff: {
    name: 'Diff',
    text: 'How much of a new answer or query is new, beside one earlier one.',
    formula: 'Diff(y, y′) = 1 − |words(y) ∩ words(y′)| / |words(y)|',
    source: `${KUNLUN}, (6), (7)`,
  },
  'agg-diff': {
    name: 'AggDiff',
    text: 'The least difference to the last three.',
    formula: 'AggDiff = min over lags 1 to 3 of Diff',
    source: `${KUNLUN}, (8)`,
  },
  delta: {
    name: 'δ, thresholds',
    text: 'What Diff has to reach to pass: 0.25 from the last, 0.5 from the second last, 0.75 from the third last.',
    source: `${KUNLUN}, (9)`,
  },
  blocked: {
    name: 'B, blocked set',
    text: 'Answers that were counted N = 4 times: they are not proposed again.',
    formula: 'B = { y : n(y) ≥ N }',
    source: `${KUNLUN}, (12), (13)`,
  },
  nlr: {
    name: 'NLR, router',
    text: 'Decides for every search whether it goes to the local corpus or to the web, and is trained on what a call cost and what it brought.',
    formula: 'R(a) = β1 · R_eff(a) + β2 · R_info(a)',
    source: `${KUNLUN}, (20)–(23)`,
  },
  'router-odds': {
    name: 'π(local), π(web)',
    text: 'Probability that the router sends a search to the local corpus, and to the web: together 1.',
    formula: 'π(local) + π(web) = 1',
    source: `${KUNLUN}, (20)–(23)`,
  },
  beta: {
    name: 'β1, β2',
    text: 'Weights of efficiency and information in the router’s reward. With the reward as printed, only their ratio to 5/6 decides, whatever the question.',
    source: `${KUNLUN}, (20)–(22)`,
  },
  moments: {
    name: 'β1, β2 of AdamW',
    text: 'How slowly the running means of the gradient and of its square forget: nearer to 1 remembers longer.',
    formula: 'm ← β1 m + (1 − β1) g,  v ← β2 v + (1 − β2) g²',
    source: 'AdamW, arXiv 1711.05101',
  },
  gold: {
    name: 'gold',
    text: 'The answers, and the passages that support them, that the question set gives as right.',
  },
  hop: {
    name: 'hop',
    text: 'One look-up of the chain that leads to the answer: a subject, a relation, what it is, and the passage that says so.',
  },
  rollout: {
    name: 'rollout',
    text: 'One attempt at one question, from prompt to end: every token, and every event with its numbers.',
  },
  group: {
    name: 'group',
    text: 'The rollouts of one question in one step; each is judged beside the others.',
  },
  fork: {
    name: 'fork',
    text: 'A rollout that shares the first events of another one, token for token, and goes on by itself with one thing changed.',
  },
  round: { name: 'round', text: 'One thought, its query and its result.' },
  mask: {
    name: 'mask',
    text: 'Which tokens the loss may train: those that the policy wrote, none that the environment put in.',
  },
  recipe: {
    name: 'recipe',
    text: 'A system as values: the loop it runs, with its constants, and how it is trained.',
  },
  'log-probability': {
    name: 'log-probability',
    text: 'Logarithm of the chance that the policy gave to the token it wrote, at the temperature of sampling. 0 is certain.',
    formula: 'ln π(token | all before it)',
  },
  grpo: {
    name: 'GRPO',
    text: 'Policy gradient whose baseline is the mean of a question’s group; no critic is trained.',
    formula: 'A = (R − mean) / (std + 10⁻⁶)',
    source: 'DeepSeekMath, arXiv 2402.03300',
  },
  'dr-grpo': {
    name: 'Dr. GRPO',
    text: 'GRPO without the division by the spread and without the mean over a rollout’s length, which favour some questions and long wrong answers.',
    formula: 'A = R − mean',
    source: 'arXiv 2503.20783',
  },
  rloo: {
    name: 'RLOO',
    text: 'The baseline of a rollout is the mean of its siblings, itself left out.',
    formula: 'A_i = R_i − mean of R_j, j ≠ i',
    source: 'arXiv 2402.14740',
  },
  reinforce: {
    name: 'REINFORCE++',
    text: 'Advantages of a group’s mean, whitened over all tokens of the batch.',
    source: 'arXiv 2501.03262',
  },
  dapo: {
    name: 'DAPO',
    text: 'GRPO with a wider upper clip, groups drawn anew where all are right or all are wrong, a mean over tokens, and a soft limit on length.',
    formula: 'clip to [1 − 0.2, 1 + 0.28]',
    source: 'arXiv 2503.14476',
  },
  ppo: {
    name: 'PPO',
    text: 'Policy gradient with a clipped ratio, and a critic that says what a token’s state is worth.',
    formula: '−min(ρ A, clip(ρ, 1 − ε, 1 + ε) A)',
    source: 'arXiv 1707.06347',
  },
  gae: {
    name: 'GAE, generalised advantage estimation',
    text: 'Advantages of single tokens from a critic: what came after beyond what the critic had expected, later surprises counting less by γ λ a token.',
    formula: 'A_t = Σ_k (γ λ)^k δ_(t+k),  δ_t = r_t + γ V_(t+1) − V_t',
    source: 'arXiv 1506.02438',
  },
  gamma: {
    name: 'γ, discount',
    text: 'What a reward counts that comes a token later; 1 makes no difference between soon and late.',
    source: 'arXiv 1506.02438',
  },
  gppo: {
    name: 'GPPO',
    text: 'A clipped ratio whose tokens keep their gradient, at the size that the clip allows, where PPO takes it from them.',
    source: 'Klear-Reasoner, arXiv 2508.07629',
  },
  fspo: {
    name: 'FSPO',
    text: 'A verdict on each step of the reasoning, whether the passages support it, is part of the reward and turns the advantage of its tokens.',
    source: 'arXiv 2505.24630',
  },
  hrpo: {
    name: 'HRPO',
    text: 'While it thinks the policy reads mixtures of tokens through gates that open as it trains, beside the tokens that were drawn.',
    source: 'arXiv 2505.18454',
  },
  sft: {
    name: 'SFT, supervised fine-tuning',
    text: 'The policy learns to write given texts: the likelihood of their tokens is raised, without a reward.',
    formula: 'L = −mean of ln π(token | all before it)',
  },
  dpo: {
    name: 'DPO',
    text: 'Of two texts on the same question the better becomes likelier than the worse, measured from the policy that training began with.',
    formula: 'L = −ln σ(β (ln π/π_ref of the better − ln π/π_ref of the worse))',
    source: 'arXiv 2305.18290',
  },
  ur2: {
    name: 'UR²',
    text: 'Two stages of reinforcement learning, first that it searches, then that it is right, over questions sorted by difficulty, with summaries in place of passages.',
    source: 'arXiv 2508.06165',
  },
  kl: {
    name: 'KL',
    text: 'How far the policy has moved from the one that the run began with.',
    formula: 'k3 = e^d − d − 1,  d = ln π_ref − ln π',
  },
  clip: {
    name: 'clip',
    text: 'Share of tokens whose ratio to the sampling policy left the allowed band, where the loss has no gradient any more.',
  },
  gap: {
    name: 'gap',
    text: 'Largest difference between the log-probabilities that sampler and learner give to the same tokens. It should be near 0, else the gradient is of another policy.',
  },
  lora: {
    name: 'LoRA',
    text: 'Small matrices beside the frozen ones are trained in their place: W + (α / r) · B A, of rank r.',
    source: 'arXiv 2106.09685',
  },
  webgpu: {
    name: 'WebGPU',
    text: 'The browser’s way to compute on the graphics card. Where there is none the policy runs in WebAssembly, on the processor.',
    source: 'W3C, WebGPU',
  },
  snapshot: {
    name: 'snapshot',
    text: 'A training state that a run goes on from, with its adapter; the last two of a run are kept.',
  },
  'held-out': {
    name: 'held-out',
    text: 'Questions that are scored before and while a run trains, and never trained on.',
  },
  'warm-up': {
    name: 'warm-up',
    text: 'Supervised steps on right rollouts before reinforcement learning begins.',
  },
  curriculum: { name: 'curriculum', text: 'Which questions per step draws, and how hard.' },
  temperature: {
    name: 'temperature',
    text: 'Logits are divided by it before a token is drawn: 0 takes the likeliest, 1 draws as the policy says.',
  },
  k: { name: 'k', text: 'How many passages a search brings back.' },
  bm25: {
    name: 'BM25',
    text: 'Ranks passages by the query’s words that they hold, rare words counting more and long passages less.',
    source: 'BM25+, k1 = 1.2, b = 0.7, δ = 0.5',
  },
  hnsw: {
    name: 'HNSW',
    text: 'Finds near vectors by walking a graph of neighbours, from a few far ones down to all, in place of looking at every vector.',
    source: 'arXiv 1603.09320',
  },
  rag: {
    name: 'RAG, retrieval-augmented generation',
    text: 'Passages are searched for and stand before the policy when it answers, so that it need not know by heart.',
    source: 'arXiv 2005.11401',
  },
  interval: {
    name: 'interval',
    text: 'Where 95 % of the values lie when the same questions are drawn again, with replacement. It says nothing of other sets of questions. Where all values are equal that tells nothing: a share then has Wilson’s, a difference of right answers Bonett and Price’s, and any other number none.',
  },
  holm: {
    name: 'Holm’s correction',
    text: 'Many comparisons find a difference by chance; p-values are raised so that all together err in 5 % of cases.',
    source: 'Holm 1979',
  },
};
