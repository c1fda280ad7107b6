import { createRouter } from '../../../src/agent/router/router.ts';
import { DEFAULT_SPEC, type EvaluationSpec } from '../../../src/evaluate/systems/spec.ts';
import { planEvaluation, type EvaluationPlan } from '../../../src/evaluate/systems/plan/plan.ts';
import type { EvaluationWork } from '../../../src/evaluate/systems/plan/execute.ts';
import type { Policy } from '../../../src/policy/policy.ts';
import type { Question } from '../../../src/records/records.ts';
import { QUESTION, retrieverOver } from '../../agent/helpers.ts';
import { ScriptedPolicy } from '../../agent/scripted-policy.ts';

/** An evaluation of three systems on six questions; what the policy writes depends on the seed alone. */

export const SPEC: EvaluationSpec = {
  ...DEFAULT_SPEC,
  systems: ['search', 'search-r1', 'naive-rag'],
  seeds: [1, 2],
};

export const QUESTIONS: Question[] = Array.from({ length: 6 }, (_, i) => ({
  ...QUESTION,
  id: `q${i}`,
  hops: 1 + (i % 2),
}));

const SEARCHING = [
  '<think> Who wrote it ?</think><search> author of Old Wolf</search>',
  '<think> Victor Kerlund .</think><short_answer> \\boxed{ Borfield }</short_answer>',
];
const GUESSING = ['<think> I guess .</think><short_answer> \\boxed{ Mondria }</short_answer>'];

/** Searches and is right under an even seed, and guesses wrongly under an odd one. */
export function seededPolicy(): Policy {
  const of = (seed: number) => new ScriptedPolicy({ main: seed % 2 === 0 ? SEARCHING : GUESSING });
  const { info, tokenizer } = of(0);
  return {
    info,
    tokenizer,
    open: (seed) => of(seed).open(),
    dispose: () => undefined,
  };
}

export const open = (): ReturnType<EvaluationWork['open']> =>
  Promise.resolve({
    deps: {
      policy: seededPolicy(),
      retriever: retrieverOver(),
      router: createRouter(),
      now: () => 0,
    },
    adapter: null,
  });

export const planOf = (
  spec: EvaluationSpec = SPEC,
  change: {
    version?: string;
    revision?: string;
    questions?: readonly Question[];
    spelling?: 'ids' | 'text';
  } = {},
): Promise<EvaluationPlan> =>
  planEvaluation(spec, {
    policies: [
      {
        key: 'built-in',
        name: 'mini',
        identity: { revision: change.revision ?? 'a' },
        spelling: () => Promise.resolve(change.spelling ?? 'ids'),
      },
    ],
    sets: [{ key: 'world', name: 'a world', questions: change.questions ?? QUESTIONS }],
    sources: () => Promise.resolve('these passages'),
    version: change.version ?? '1',
  });
