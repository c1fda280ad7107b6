import { sourcesInUse } from '../../../agent/answers/unknown-names.ts';
import { mismatchReason } from '../../../agent/settings.ts';
import { canonical, sha256 } from '../../../base/hash.ts';
import { itemAt } from '../../../base/items.ts';
import { deriveSeed } from '../../../base/random.ts';
import { getRecipe } from '../../../systems/index.ts';
import type { Recipe } from '../../../recipes/parts/recipe.ts';
import {
  mergeOverrides,
  withOverrides,
  type SettingsOverride,
  LOCAL_ONLY,
  WEB_ONLY,
} from '../../../recipes/parts/settings.ts';
import type { SourceName } from '../../../records/hits.ts';
import type { Question } from '../../../records/records.ts';
import { changesOf, settingsOf } from '../custom.ts';
import type { EvaluatedQuestion, EvaluatedSystem, SkippedSystem } from '../result.ts';
import type { EvaluationSpec, RetrievalChange, SystemChoice } from '../spec.ts';
import { sourceNeeded } from '../../source-needed.ts';

/** Every rollout of an evaluation, in the order in which they are made, each with a hash of its inputs. */

/** A policy of the spec, found. */
export interface ResolvedPolicy {
  /** Part of the rows' ids, where there are several: `built-in`, `run-x-step-20`. */
  key: string;
  /** As text. */
  name: string;
  /** What decides what it writes: weights, adapter, router, device. */
  identity: unknown;
  /** How it spells the protocol's tags; asked for only where a system runs with one spelling alone. */
  spelling(): Promise<'ids' | 'text'>;
}

/** A set of questions of the spec, found. */
export interface ResolvedQuestions {
  /** Part of the questions' ids: `built-in`, `seed7`. */
  key: string;
  name: string;
  questions: readonly Question[];
}

export interface PlanParts {
  policies: readonly ResolvedPolicy[];
  sets: readonly ResolvedQuestions[];
  /** What decides what is found: contents of passages, ways of searching, versions of the world's makers. */
  sources(set: number, retrieval: RetrievalChange): Promise<unknown>;
  /** Version of what runs: another one may run a loop otherwise. */
  version: string;
}

/** Rollouts that can be run with the same things open. */
export interface PlannedPlace {
  policy: number;
  set: number;
  retrieval: number;
}

export interface PlannedRollout extends PlannedPlace {
  /** SHA-256 of all that decides it. */
  key: string;
  system: string;
  /** Id of the question in the result. */
  question: string;
  seed: number;
  /** Of the rollout itself. */
  rolloutSeed: number;
  recipe: Recipe;
  overrides: SettingsOverride;
  asked: Question;
}

export interface EvaluationPlan {
  /** Of all rollouts, in order. */
  hash: string;
  systems: EvaluatedSystem[];
  /** Rows that are not run, since their policy cannot run them. */
  skipped: SkippedSystem[];
  questions: EvaluatedQuestion[];
  rollouts: PlannedRollout[];
  /** Questions that have no gold answer and are not asked. */
  leftOut: number;
}

interface Row extends EvaluatedSystem {
  base: Recipe;
  overrides: SettingsOverride;
  /** The loop with all settings, as it is hashed. */
  loop: unknown;
  policyAt: number;
  retrievalAt: number;
}

/** How a retrieval setting changes a row's id and words. */
function retrievalWords({ k, maxSearches, source, local, web }: RetrievalChange): string[] {
  return [
    ...(k === undefined ? [] : [`k ${k}`]),
    ...(maxSearches === undefined ? [] : [`at most ${maxSearches} searches`]),
    ...(source === undefined ? [] : [`source ${source}`]),
    ...(local === undefined ? [] : [`local ${local.method ?? local.kind}`]),
    ...(web === undefined ? [] : [`web ${web.kind}`]),
  ];
}

/** The world's web does not know the user's passages, nor a search engine the world's. */
function sourceDefault({ local, web, source }: RetrievalChange): SettingsOverride {
  if (source !== undefined) return {};
  const [ownLocal, ownWeb] = [local?.kind === 'collections', web && web.kind !== 'built-in'];
  if (ownLocal && !ownWeb) return LOCAL_ONLY;
  return ownWeb && !ownLocal ? WEB_ONLY : {};
}

/** Overrides in order: the evaluation's sampling, a custom system's settings, the retrieval setting. */
function overridesFor(
  { temperature, routing }: EvaluationSpec,
  changes: SettingsOverride,
  retrieval: RetrievalChange,
): SettingsOverride {
  const { k, maxSearches, source } = retrieval;
  const named = {
    ...(k !== undefined && { k }),
    ...(maxSearches !== undefined && { maxSearches }),
    ...(source !== undefined && { source }),
  };
  const ground: SettingsOverride = { sampling: { temperature }, nlr: { routing } };
  const own = mergeOverrides(mergeOverrides(ground, sourceDefault(retrieval)), changes);
  return mergeOverrides(own, Object.keys(named).length > 0 ? { retrieval: named } : {});
}

/** Sources that rollouts under a retrieval setting may ask, whichever of the systems it is. */
export function sourcesAsked(spec: EvaluationSpec, retrieval: RetrievalChange): SourceName[] {
  const asked = spec.systems.flatMap((choice) => {
    const custom = typeof choice === 'string' ? null : choice;
    const { settings } = getRecipe(typeof choice === 'string' ? choice : choice.base);
    const overrides = overridesFor(spec, custom?.changes ?? {}, retrieval);
    return sourcesInUse(withOverrides(settings, overrides));
  });
  return (['local', 'web'] as const).filter((source) => asked.includes(source));
}

/**
 * All of a recipe that its rollouts depend on: neither its names nor how it is trained. Systems that differ
 * in their training alone run one loop, whose rollouts are made once.
 */
function loopOf(recipe: Recipe, overrides: SettingsOverride): unknown {
  const { id: _i, version: _v, title: _t, summary: _s, about: _a, training: _n, ...loop } = recipe;
  const { settings, ...rest } = loop;
  return { ...rest, settings: withOverrides(settings, overrides) };
}

function rowsOf(
  spec: EvaluationSpec,
  policies: readonly ResolvedPolicy[],
  choice: SystemChoice,
): Row[] {
  const custom = typeof choice === 'string' ? null : choice;
  const base = getRecipe(typeof choice === 'string' ? choice : choice.base);
  const { about } = base;
  const id = custom?.id ?? base.id;
  const changes = custom ? changesOf(base.settings, settingsOf(custom)) : null;
  return policies.flatMap((policy, policyAt) =>
    spec.retrieval.map((retrieval, retrievalAt): Row => {
      const words = retrievalWords(retrieval);
      const overrides = overridesFor(spec, custom?.changes ?? {}, retrieval);
      const place = [
        id,
        ...(policies.length > 1 ? [policy.key] : []),
        ...(spec.retrieval.length > 1
          ? [words.join(',').replaceAll(/[^\w,]+/gu, '-') || 'own']
          : []),
      ];
      return {
        id: place.join('@'),
        title: custom?.title ?? base.title,
        recipe: base.id,
        parts: about?.parts ?? [],
        policy: policy.name,
        ...(words.length > 0 && { retrieval: words.join(', ') }),
        ...(about && { departures: about.differences }),
        ...(changes && { changes }),
        published: custom ? null : (about?.published ?? null),
        signature: about?.expectedEffect ?? null,
        base,
        overrides,
        loop: loopOf(base, overrides),
        policyAt,
        retrievalAt,
      };
    }),
  );
}

const systemOf = ({
  base: _b,
  overrides: _o,
  loop: _l,
  policyAt: _p,
  retrievalAt: _r,
  ...system
}: Row) => system;

const questionOf = (question: Question, { key, name }: ResolvedQuestions): EvaluatedQuestion => ({
  id: `${key}/${question.id}`,
  text: question.text,
  answers: question.answers,
  world: name,
  type: question.type ?? null,
  hops: question.hops ?? null,
  source: sourceNeeded(question),
});

/** Rows whose policy can run them, and those that are skipped. @throws Error where none is left */
async function runnable(
  rows: readonly Row[],
  policies: readonly ResolvedPolicy[],
): Promise<{ rows: Row[]; skipped: SkippedSystem[] }> {
  const kept: Row[] = [];
  const skipped: SkippedSystem[] = [];
  for (const row of rows) {
    const spelling = row.base.needs && (await itemAt(policies, row.policyAt).spelling());
    const reason = spelling ? mismatchReason({ ...row.base, title: row.title }, spelling) : null;
    if (reason === null) kept.push(row);
    else skipped.push({ ...systemOf(row), reason });
  }
  const [first] = skipped;
  if (kept.length === 0 && first)
    throw new Error(`None of the systems can run with these models: ${first.reason}.`);
  return { rows: kept, skipped };
}

/**
 * The plan of an evaluation: policy by policy, since one opens at a time, then set by set, and question by
 * question over all systems, so that what is there after a part of the time compares them.
 * @throws Error for a setting that does not go with a system, and where nothing can be asked
 */
export async function planEvaluation(
  spec: EvaluationSpec,
  parts: PlanParts,
): Promise<EvaluationPlan> {
  const { policies, sets, version } = parts;
  const wanted = spec.systems.flatMap((choice) => rowsOf(spec, policies, choice));
  const { rows, skipped } = await runnable(wanted, policies);
  const scored = sets.map((set) => set.questions.filter(({ answers }) => answers.length > 0));
  const leftOut =
    sets.reduce((sum, { questions }) => sum + questions.length, 0) - scored.flat().length;
  if (scored.flat().length === 0)
    throw new Error('None of the questions has a gold answer to score with; choose others.');
  const ground = await Promise.all(
    sets.map((_, set) =>
      Promise.all(spec.retrieval.map((retrieval) => parts.sources(set, retrieval))),
    ),
  );
  // The long parts are hashed once, not with every rollout.
  const loops = new Map<Row, string>();
  for (const row of rows) loops.set(row, await sha256(canonical(row.loop)));
  const asked = new Map<Question, string>();
  for (const question of scored.flat()) asked.set(question, await sha256(canonical(question)));
  const rollouts: PlannedRollout[] = [];
  for (const [policy, { identity }] of policies.entries())
    for (const [set, questions] of scored.entries())
      for (const retrieval of spec.retrieval.keys()) {
        const own = rows.filter((row) => row.policyAt === policy && row.retrievalAt === retrieval);
        const shared = await sha256(
          canonical({
            format: 1,
            version,
            identity,
            sources: itemAt(itemAt(ground, set), retrieval),
            summarizer: spec.summarizer,
          }),
        );
        for (const question of questions)
          for (const seed of spec.seeds)
            for (const row of own) {
              const rolloutSeed = deriveSeed(seed, 'question', question.id);
              rollouts.push({
                key: await sha256(
                  `${shared} ${loops.get(row)} ${asked.get(question)} ${rolloutSeed}`,
                ),
                system: row.id,
                question: `${itemAt(sets, set).key}/${question.id}`,
                seed,
                rolloutSeed,
                recipe: row.base,
                overrides: row.overrides,
                asked: question,
                policy,
                set,
                retrieval,
              });
            }
      }
  const systems = rows.map(systemOf);
  const hash = await sha256(
    canonical({ systems: systems.map(({ id }) => id), rollouts: rollouts.map(({ key }) => key) }),
  );
  return {
    hash,
    systems,
    skipped,
    questions: sets.flatMap((set, at) => itemAt(scored, at).map((one) => questionOf(one, set))),
    rollouts,
    leftOut,
  };
}
