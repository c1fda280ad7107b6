import { z } from 'zod';
import { itemAt } from '../../base/items.ts';
import { oneLine, wordsOf } from '../../base/errors.ts';
import { FOREIGN_LAYOUTS } from './importers/list.ts';
import type { ImportedRole, ImportedRollout } from './shape/imported.ts';

/**
 * What a line of `forage.rollout/1` must hold so that the inspector can read it. Unknown keys are kept.
 * A record that passes is used as it was parsed: nothing is copied, dropped or filled in.
 */

const id = z.int().nonnegative();
const finite = z.number();
const tokenValues = z.array(finite.nullable());
const bit = z.literal([0, 1]);
const object = z.record(z.string(), z.unknown());

const ROLES = [
  'instruction',
  'background',
  'question',
  'think',
  'search',
  'result',
  'hint',
  'answer',
  'other',
  'refine',
  'evidence',
] as const satisfies readonly ImportedRole[];

const segment = z.looseObject({
  source: z.enum(['prompt', 'policy', 'environment']),
  role: z.enum(ROLES),
  text: z.string(),
  ids: z.array(id).optional(),
  tokens: z.array(z.string()).optional(),
  trainedIds: z.array(id).optional(),
  logprobs: tokenValues.optional(),
  refLogprobs: tokenValues.optional(),
  entropies: tokenValues.optional(),
  values: tokenValues.optional(),
  tokenRewards: tokenValues.optional(),
  advantages: tokenValues.optional(),
  lossMask: tokenValues.optional(),
  mask: bit.optional(),
});

const passage = z.looseObject({
  id: z.string(),
  title: z.string(),
  text: z.string(),
  sentences: z.array(z.string()),
});
const source = z.enum(['local', 'web']);
const target = z.enum(['local', 'web', 'both']);
const hits = z.array(z.looseObject({ passage, score: finite.nullable(), source }));
const titles = z.array(z.string());
/** −1: a search before anything was written, as earlier versions put it. */
const base = { t: finite, segment: z.int().min(-1).optional() };

const event = z.discriminatedUnion('kind', [
  z.looseObject({
    ...base,
    kind: z.literal('background'),
    mode: z.string(),
    query: z.string(),
    hits,
    relevance: z.looseObject({
      meanSimilarity: finite.nullable(),
      termOverlap: finite,
      supportingRecall: finite.nullable(),
    }),
    latencyMs: finite,
  }),
  z.looseObject({ ...base, kind: z.literal('think'), text: z.string(), phase: z.string() }),
  z.looseObject({
    ...base,
    kind: z.literal('block'),
    block: z.string(),
    text: z.string(),
    reply: z.string().optional(),
  }),
  z.looseObject({
    ...base,
    kind: z.literal('aside'),
    of: z.string(),
    prompt: z.string(),
    text: z.string(),
    tokens: finite,
    outcome: z.string().optional(),
    action: z.looseObject({ at: id, rank: id, ids: z.array(id) }).optional(),
  }),
  z.looseObject({
    ...base,
    kind: z.literal('search'),
    query: z.string(),
    round: z.int(),
    tag: z.string(),
  }),
  z.looseObject({
    ...base,
    kind: z.literal('route'),
    by: z.string(),
    choice: target,
    probabilities: z.looseObject({ local: finite, web: finite }),
    features: z.array(z.looseObject({ name: z.string(), value: finite, contribution: finite })),
    reward: z
      .looseObject({
        mode: z.string(),
        beta1: finite,
        beta2: finite,
        efficiency: finite,
        information: finite,
        total: finite,
      })
      .nullable(),
  }),
  z.looseObject({
    ...base,
    kind: z.literal('retrieve'),
    query: z.string(),
    source: target,
    hits,
    asked: finite.optional(),
    latencyMs: finite,
    addedDelayMs: finite,
    newSupporting: titles.nullable(),
    duplicates: titles,
    leftOut: titles.optional(),
    newEntities: finite,
  }),
  z.looseObject({
    ...base,
    kind: z.literal('summarize'),
    query: z.string(),
    by: z.string(),
    passages: titles,
    text: z.string(),
    fallback: z.boolean(),
    reason: z.string(),
    latencyMs: finite,
    cached: z.boolean(),
  }),
  z.looseObject({
    ...base,
    kind: z.literal('candidate'),
    round: z.int(),
    candidates: z.array(
      z.looseObject({
        text: z.string(),
        canonical: z.string(),
        confidence: finite.nullable(),
        count: finite,
        blocked: z.boolean(),
      }),
    ),
  }),
  z.looseObject({
    ...base,
    kind: z.literal('verdict'),
    over: z.enum(['answer', 'query']),
    round: z.int(),
    mode: z.string(),
    text: z.string(),
    checks: z.array(
      z.looseObject({
        lag: z.int(),
        against: z.string(),
        overlap: finite,
        diff: finite,
        threshold: finite,
        passed: z.boolean(),
      }),
    ),
    aggDiff: finite.nullable(),
    valid: z.boolean(),
    action: z.string(),
    reason: z.string(),
    counts: z.record(z.string(), finite),
    blocked: titles,
  }),
  z.looseObject({
    ...base,
    kind: z.literal('answer'),
    text: z.string(),
    form: z.string(),
    by: z.string(),
  }),
  z.looseObject({
    ...base,
    kind: z.literal('stop'),
    reason: z.string(),
    detail: z.string(),
    clause: z.looseObject({ rule: z.string(), value: finite, threshold: finite }).optional(),
  }),
  z.looseObject({ ...base, kind: z.literal('error'), what: z.string(), message: z.string() }),
]);

const clause = z.looseObject({
  clause: z.string(),
  value: finite,
  weight: finite,
  evidence: z.array(z.looseObject({ segment: id, start: id, end: id })),
});

const distribution = z.looseObject({ temperature: finite, topK: finite, topP: finite });

const columnKeys = z.record(z.string(), z.string());

const chainStep = z.looseObject({
  subject: z.string(),
  relation: z.string(),
  object: z.string(),
  title: z.string(),
  passageId: z.string(),
  query: z.string(),
  betterQuery: z.string().optional(),
  source: target.optional(),
  passageIds: titles.optional(),
  date: finite.optional(),
  rivals: z
    .array(
      z.looseObject({
        object: z.string(),
        passageId: z.string(),
        why: z.enum(['stale', 'contradicting', 'namesake']),
        date: finite.optional(),
      }),
    )
    .optional(),
});

const fork = z.looseObject({
  rolloutId: z.string(),
  event: id,
  tokens: id,
  seed: finite,
  settings: object,
  changes: z.looseObject({
    source: target.optional(),
    passages: titles.optional(),
    admitted: z.literal(true).optional(),
    hint: z.string().optional(),
    opening: z.string().optional(),
  }),
});

const rollout = z.looseObject({
  format: z.literal('forage.rollout/1'),
  id: z.string(),
  runId: z.string(),
  step: finite.nullable(),
  groupId: z.string(),
  seed: finite.optional(),
  createdAt: z.string().optional(),
  question: z.looseObject({
    id: z.string(),
    text: z.string(),
    answers: z.array(z.string()),
    supporting: titles,
    type: z.string().optional(),
    hops: finite.optional(),
    difficulty: z.string().optional(),
    options: z.array(z.string()).optional(),
    mayRetrieve: z.boolean().optional(),
    summary: titles.optional(),
    chain: z.array(chainStep).optional(),
    missing: z
      .looseObject({ subject: z.string(), relation: z.string(), query: z.string() })
      .optional(),
  }),
  recipe: z.looseObject({ id: z.string(), version: z.string(), settings: object }).optional(),
  policy: z
    .looseObject({
      id: z.string(),
      adapter: z.string().nullable().optional(),
      revision: z.string(),
      logprobsOf: distribution.nullable().optional(),
    })
    .optional(),
  segments: z.array(segment),
  events: z.array(event).optional(),
  rewards: z.array(clause),
  reward: finite.nullable(),
  baseline: finite.nullable(),
  advantage: finite.nullable(),
  metrics: z
    .looseObject({
      em: finite,
      f1: finite,
      cover_em: finite,
      recall: finite.nullable(),
      searches: finite,
      tokens: finite,
      seconds: finite,
      formatValid: z.boolean(),
    })
    .nullable(),
  answer: z.string().nullable(),
  frozen: z
    .array(
      z.looseObject({
        from: z.enum(['evidence', 'memory', 'selected', 'question']),
        answer: z.string().nullable(),
        em: finite,
        f1: finite,
        holds: finite,
      }),
    )
    .optional(),
  goldTexts: z.array(z.looseObject({ title: z.string(), text: z.string() })).optional(),
  notScored: z.string().optional(),
  error: z.string().optional(),
  contexts: z.array(id).optional(),
  latent: z.looseObject({ tokens: z.int().positive(), gate: finite }).optional(),
  forks: z.array(fork).optional(),
  judge: z.looseObject({ verdict: z.boolean().nullable(), by: z.string() }).optional(),
  origin: z
    .looseObject({
      layout: z.enum(FOREIGN_LAYOUTS),
      protocol: z.string().nullable(),
      responseAt: id,
      fields: object,
      columns: columnKeys,
    })
    .optional(),
});

const texts = z.object({
  id: z.string(),
  step: finite.nullable(),
  question: z.object({ text: z.string() }),
  answer: z.string().nullable(),
  segments: z.array(segment.pick({ source: true, role: true, text: true }).strip()),
  origin: z.unknown().optional(),
});

/** What is to be read of a rollout, without its tokens and events. */
export type RolloutTexts = z.infer<typeof texts>;

/** The texts of a record, whatever its other parts are; null where it is not a rollout. */
export const textsOf = (value: unknown): RolloutTexts | null => texts.safeParse(value).data ?? null;

/** What is wrong with a record, first fault only: `segments[2].ids: expected …`; null where nothing is. */
export function faultOf(value: unknown): string | null {
  const parsed = rollout.safeParse(value);
  if (parsed.success) return null;
  const issue = itemAt(parsed.error.issues, 0, 'problems');
  const path = issue.path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  return `${path === '' ? 'the record' : oneLine(path.replace(/^\./, ''), 200)}: ${wordsOf(issue)}`;
}

export const isImportedRollout = (value: unknown): value is ImportedRollout =>
  faultOf(value) === null;
