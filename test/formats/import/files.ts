/** Small hand-made files, one of each format, as their projects publish them. */

export const blob = (...parts: (string | Uint8Array<ArrayBuffer>)[]): Blob => new Blob(parts);

export const jsonl = (...values: unknown[]): Blob =>
  blob(values.map((value) => `${JSON.stringify(value)}\n`).join(''));

export const HOTPOT = {
  _id: '5a8b57f25542995d1e6f1371',
  question: 'Were Ada and Bela of the same nationality?',
  answer: 'yes',
  type: 'comparison',
  level: 'hard',
  supporting_facts: [
    ['Ada', 0],
    ['Bela', 0],
    ['Ada', 1],
  ],
  context: [
    ['Ada', ['Ada was a Hungarian painter.', ' She lived in Pécs.']],
    ['Bela', ['Bela was a Hungarian poet.']],
    ['Ceres', ['Ceres is a dwarf planet.']],
  ],
};

export const TWO_WIKI = {
  _id: '13f5ad2c088c11ebbd6fac1f6bf848b6',
  type: 'bridge_comparison',
  question: 'Who is the mother of the director of Stone Rain?',
  answer: 'Vera Holm',
  context: [
    ['Stone Rain', ['Stone Rain is a film by Ivo Holm.']],
    ['Ivo Holm', ['Ivo Holm is a son of Vera Holm.']],
  ],
  supporting_facts: [
    ['Stone Rain', 0],
    ['Ivo Holm', 0],
  ],
  evidences: [
    ['Stone Rain', 'director', 'Ivo Holm'],
    ['Ivo Holm', 'mother', 'Vera Holm'],
  ],
};

export const MUSIQUE = {
  id: '2hop__1_2',
  question: 'When did the city where Ivo was born get its charter?',
  answer: '1342',
  answer_aliases: ['the year 1342', '1342'],
  answerable: true,
  paragraphs: [
    { idx: 0, title: 'Ivo', paragraph_text: 'Ivo was born in Tarn. He sang.', is_supporting: true },
    { idx: 1, title: 'Noise', paragraph_text: 'Noise is sound.', is_supporting: false },
    { idx: 2, title: 'Tarn', paragraph_text: 'Tarn was chartered in 1342.', is_supporting: true },
  ],
  question_decomposition: [
    { id: 1, question: 'Ivo >> place of birth', answer: 'Tarn', paragraph_support_idx: 0 },
    { id: 2, question: 'When was #1 chartered?', answer: '1342', paragraph_support_idx: 2 },
  ],
};

export const FLASHRAG = {
  id: 'test_0',
  question: 'who got the first nobel prize in physics',
  golden_answers: ['Wilhelm Conrad Röntgen'],
  metadata: {},
};

export const VERL = {
  data_source: 'nq',
  prompt: [{ role: 'user', content: 'Answer the question. Question: who sang it first?\n' }],
  ability: 'fact-reasoning',
  reward_model: { style: 'rule', ground_truth: { target: ['Ada', 'Ada Holm'] } },
  extra_info: { index: 7, split: 'train' },
};

export const BAMBOOGLE =
  'Question,Answer\r\n"Who was president when ""superconductivity"" was found, in Leiden?",Taft\r\n' +
  '"A question\nover two lines?",Yes\r\n';
