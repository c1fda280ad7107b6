import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { normalise, SQUAD } from '../../src/agent/answers/normalisers.ts';
import {
  answerScores,
  exactMatch,
  f1Score,
  subExactMatch,
} from '../../src/agent/answers/scores.ts';

/**
 * Predictions of a trained 7B search policy (RUCAIBox/R1-Searcher). The expected sums were computed
 * with the Python functions of the SQuAD and HotpotQA evaluation scripts on the same rows.
 */
const FOLDER = new URL('../../../shared/data/r1-searcher/', import.meta.url);
const row = z.object({ answer: z.string(), pred_ans: z.string() });

const EXPECTED = [
  { file: 'bamboogle_qwen.jsonl', n: 125, em: 57, f1: 71.64166666666667, cover: 65, sub: 61 },
  { file: 'hotpotqa_qwen.jsonl', n: 500, em: 288, f1: 356.57021116138776, cover: 324, sub: 325 },
];

/** What the same scripts printed for pairs of answers: `reference_scores.py` beside it. */
const { pairs } = z
  .object({
    pairs: z.array(
      z.object({
        prediction: z.string(),
        gold: z.string(),
        squad: z.object({ em: z.number(), f1: z.number(), coverEm: z.number(), subEm: z.number() }),
      }),
    ),
  })
  .parse(
    JSON.parse(
      readFileSync(new URL('../fixtures/inspect/reference-scores.json', import.meta.url), 'utf8'),
    ),
  );

const coverExactMatch = (prediction: string | null, golds: readonly string[]): number =>
  answerScores(prediction, golds).coverEm;

it('scores single answers as the reference scripts do', () => {
  // An answer that the normaliser empties is scored otherwise there: `normalisers.test.ts` says how.
  const told = pairs.filter(({ gold }) => normalise(gold, SQUAD) !== '');
  expect(told.length).toBeGreaterThan(20);
  for (const { prediction, gold, squad } of told)
    expect({
      prediction,
      em: exactMatch(prediction, [gold]),
      f1: f1Score(prediction, [gold]),
      coverEm: coverExactMatch(prediction, [gold]),
      subEm: subExactMatch(prediction, [gold]),
    }).toEqual({ prediction, ...squad, f1: expect.closeTo(squad.f1, 12) });
});

for (const { file, n, em, f1, cover, sub } of EXPECTED) {
  const path = new URL(file, FOLDER);
  const missing = !existsSync(path);
  if (missing) console.warn(`skipped: needs ../shared/data/r1-searcher/${file}`);
  it.skipIf(missing)(`scores ${file} as the reference scripts do`, () => {
    const rows = readFileSync(path, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => row.parse(JSON.parse(line)));
    const sum = (score: (prediction: string, golds: string[]) => number): number =>
      rows.reduce((total, { pred_ans, answer }) => total + score(pred_ans, [answer]), 0);
    expect(rows).toHaveLength(n);
    expect(sum(exactMatch)).toBe(em);
    expect(sum(f1Score)).toBeCloseTo(f1, 9);
    expect(sum(coverExactMatch)).toBe(cover);
    expect(sum(subExactMatch)).toBe(sub);
  });
}
