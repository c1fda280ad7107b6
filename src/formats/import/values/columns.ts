/** What the columns of published benchmarks are called here. */

/** By our name, theirs: SimpleQA and BrowseComp (problem), FRAMES (prompt), PopQA, GPQA, GAIA. The first wins. */
const NAMES: readonly (readonly [name: string, theirs: readonly string[]])[] = [
  ['id', ['question_id', 'record_id', 'task_id']],
  ['question', ['problem', 'prompt', 'query']],
  [
    'answer',
    [
      'correct_answer',
      'final_answer',
      'golden_answer',
      'gold_answer',
      'reference_answer',
      'ground_truth',
      'best_answer',
      'target',
    ],
  ],
  ['answers', ['possible_answers', 'golden_answers', 'gold_answers', 'correct_answers']],
];

/** Names in lower case, with those of benchmarks under ours where we have no such column. */
export function questionColumns(header: readonly string[]): string[] {
  const names = header.map((name) =>
    name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/gu, '_'),
  );
  for (const [name, theirs] of NAMES) {
    const found = theirs.find((other) => names.includes(other));
    if (!names.includes(name) && found !== undefined) names[names.indexOf(found)] = name;
  }
  return names;
}

/** As an error names what a table needs. */
export const TABLE_COLUMNS =
  'a column `question` (or `problem`, `prompt`, `query`) with `answer` (or `answers`, `correct_answer`, `possible_answers`), or a column `text` for passages';
