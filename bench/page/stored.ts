import type { Page } from 'playwright-core';
import type { BodyRow, FactsRow, PlanRow } from '../../src/lab/evaluate/database.ts';
import type { EvaluationRecord } from '../../src/lab/contract/records/evaluations.ts';
import type { RunRecord } from '../../src/lab/contract/records/runs.ts';
import type { StepRow } from '../../src/lab/storage/database.ts';
import type { HeldOutQuestion } from '../../src/records/training.ts';
import { runRecord } from '../../test/fixtures/train-runs.ts';
import { trainStep } from '../../test/fixtures/train-steps.ts';

/** A finished evaluation and a finished training run of many rollouts, made up, as the browser keeps them. */

const HOPS = 3;

/** Records by the name of their store. */
type Stores = Record<string, readonly object[]>;

/** An evaluation of `systems` over `questions`, one rollout each; about a third are right. */
export function madeUpEvaluation(id: string, systems: number, questions: number): Stores {
  const at = '2026-01-01T00:00:00.000Z';
  const record: EvaluationRecord = {
    format: 'forage.evaluation-record/1',
    id,
    name: `${systems} systems, ${questions} questions`,
    createdAt: at,
    updatedAt: at,
    status: 'finished',
    spec: {
      format: 'forage.evaluation/1',
      systems: ['search'],
      policies: [{ kind: 'base', policy: { kind: 'built-in' } }],
      questions: [{ kind: 'built-in', split: 'test', limit: questions }],
      seeds: [1],
      retrieval: [{}],
      temperature: 1,
      routing: 'argmax',
      summarizer: { kind: 'extractive' },
      judge: { kind: 'off' },
    },
    hash: id,
    planned: systems * questions,
    done: systems * questions,
    failed: 0,
    failure: null,
    notice: null,
    deletedAt: null,
  };
  const cellsOf = (system: number) =>
    Array.from({ length: questions }, (_, question) => ({
      key: `${id}-${system}-${question}`,
      system: `system-${system}`,
      question: `question-${question}`,
      seed: 1,
      recipe: { id: 'search' },
    }));
  const cells = Array.from({ length: systems }, (_, system) => cellsOf(system)).flat();
  const plan: PlanRow = {
    id,
    hash: id,
    systems: Array.from({ length: systems }, (_, n) => ({
      id: `system-${n}`,
      title: `System ${n}`,
      recipe: 'search',
      parts: [],
      policy: 'built-in policy',
      published: null,
      signature: null,
    })),
    questions: Array.from({ length: questions }, (_, n) => ({
      id: `question-${n}`,
      text: `Who kept number ${n} of the harbour museum?`,
      answers: [`Name ${n % 97}`],
      world: 'built in',
      type: n % 2 === 0 ? 'bridge' : 'comparison',
      hops: 1 + (n % HOPS),
      source: n % 2 === 0 ? ('local' as const) : ('web' as const),
    })),
    cells,
  };
  const facts = cells.map(({ key }, i): FactsRow => {
    const right = (i * 7 + Math.floor(i / questions) + (i >> 3)) % 3 === 0;
    const hops = 1 + ((i % questions) % HOPS);
    return {
      key,
      recipe: 'search',
      policy: 'built-in',
      facts: {
        answer: right ? 'Name' : 'Fog',
        em: right ? 1 : 0,
        f1: right ? 1 : 0.25,
        coverEm: right ? 1 : 0,
        judge: null,
        recall: right ? 1 : 0.5,
        searches: 1 + (i % 4),
        webCalls: i % 3,
        tokens: 80 + (i % 90),
        seconds: 0.4 + (i % 7) / 10,
        formatValid: i % 50 !== 0,
        hopsFound: Array.from({ length: hops }, (_unused, hop) => right || hop % 2 === i % 2),
      },
    };
  });
  const bodies: BodyRow[] = [];
  return { evaluations: [record], plans: [plan], facts, bodies };
}

/** A run of as many steps as `scores`, each of which asked `questions` held-out questions. */
export function madeUpRun(id: string, questions: number, scores: number): Stores {
  const record: RunRecord = runRecord(id, { status: 'finished', step: scores });
  const steps = Array.from({ length: scores }, (_unused, n): StepRow => {
    const step = n + 1;
    const asked = Array.from({ length: questions }, (_, question): HeldOutQuestion => {
      const right = (question * 7 + step) % (3 + (question % 5)) < 1 + step / scores;
      return {
        id: `held-out-${question}`,
        text: `Who kept number ${question} of the harbour museum?`,
        gold: `Name ${question % 97}`,
        answer: right ? `Name ${question % 97}` : 'Fog',
        em: right ? 1 : 0,
        f1: right ? 1 : 0,
        searches: 1 + (question % 4),
      };
    });
    const em = asked.reduce((sum, one) => sum + one.em, 0) / questions;
    const heldOut = { n: questions, em, f1: em, recall: 1, searches: 2, formatValid: 1 };
    return {
      runId: id,
      step,
      record: { ...trainStep(step, id), heldOut: { ...heldOut, seconds: 1, questions: asked } },
      rollouts: null,
      heldOut: null,
    };
  });
  return { runs: [record], steps };
}

/**
 * Puts records into a database that the page has made, while nothing of the page runs.
 * @param url of the page, with a slash at its end
 * @throws Error where the page has not made the database
 */
export async function putStored(
  page: Page,
  url: string,
  database: string,
  stores: Stores,
): Promise<void> {
  await page.goto(`${url}world/manifest.json`);
  // Some compilers of TypeScript name inner functions with a helper that the page does not have.
  await page.evaluate('globalThis.__name ??= (value) => value');
  await page.evaluate(
    async ([name, rows]) => {
      const open = await new Promise<IDBDatabase>((resolve, reject) => {
        const request = indexedDB.open(name);
        request.addEventListener('success', () => resolve(request.result));
        request.addEventListener('error', () => reject(request.error ?? new Error(name)));
      });
      const writing = open.transaction(Object.keys(rows), 'readwrite');
      for (const [store, records] of Object.entries(rows))
        for (const record of records) writing.objectStore(store).put(record);
      await new Promise<void>((resolve, reject) => {
        writing.addEventListener('complete', () => resolve());
        writing.addEventListener('error', () => reject(writing.error ?? new Error(name)));
      });
      open.close();
    },
    [database, stores] as const,
  );
}
