import { expect, it } from 'vitest';
import { readStudy } from '../../../src/evaluate/study/file/read.ts';
import { planStudy } from '../../../src/evaluate/study/plan.ts';
import { reportOf } from '../../../src/evaluate/study/report.ts';
import { row, studyJson } from './study-file.ts';

/** What the policy without an adapter is called beside a trained arm. */

const claim = (arm: string) => ({
  recipe: 'ur2',
  claim: `${arm} searches more`,
  number: 'searches',
  arm,
  expect: 'higher',
  fromStart: true,
});

it('is step 0 only of an arm that neither begins from a made start nor is warmed up', async () => {
  const file = studyJson({
    train: { worlds: [{ seed: 11 }], seeds: [1], steps: 3 },
    evaluate: { worlds: [{ seed: 9001 }], questions: 20 },
    arms: [
      { name: 'plain', recipe: 'search/grpo' },
      { name: 'UR²', recipe: 'ur2/paper' },
      { name: 'KunLunBaizeRAG', recipe: 'kunlun-baize/whole' },
      { name: 'as it is', recipe: 'search', untrained: true },
    ],
    signatures: ['plain', 'UR²', 'KunLunBaizeRAG'].map(claim),
    interval: { resamples: 20 },
  });
  const study = readStudy(JSON.stringify(file), () => true);
  const plan = await planStudy(study, {
    revision: 'abc',
    identityOf: ({ source }: { source: unknown }) => Promise.resolve(source),
    digestOf: () => Promise.resolve(''),
  });
  const results = { rows: () => [row('q1'), row('q2')], curve: () => null };
  const facts = { policy: 'p', made: [], finished: 0, scores: 0 };
  const { files, verdicts } = reportOf(study, plan, results, facts);
  const heads = files['table.md']?.match(/(?<=^\| ).*, (?:step 0|before its [\w-]+)(?= \|)/gmu);
  expect(heads).toEqual([
    'plain, step 0',
    'UR², before its start',
    'KunLunBaizeRAG, before its warm-up',
  ]);
  expect(verdicts.map(({ compared }) => compared.split(';')[0])).toEqual([
    'plain less its step 0',
    'UR² less the policy before its start',
    'KunLunBaizeRAG less the policy before its warm-up',
  ]);
  // No title says otherwise.
  const titles = files['table.md']?.match(/^## .*/gmu) ?? [];
  expect(titles.join('\n')).not.toContain('step 0');
});
