import { beforeEach, describe, expect, it } from 'vitest';
import { RECIPES } from '../../../src/systems/index.ts';
import {
  recipeSettingsSchema,
  withOverrides,
  type RecipeSettings,
} from '../../../src/recipes/parts/settings.ts';
import { DEFAULT_SPEC } from '../../../src/evaluate/systems/spec.ts';
import { duplicateOf } from '../../../src/evaluate/systems/custom.ts';
import { CustomEditor } from '../../../src/ui/evaluate/chooser/CustomEditor.tsx';
import { nameOfSpec } from '../../../src/ui/evaluate/chooser/names.ts';
import { NewEvaluation } from '../../../src/ui/evaluate/chooser/NewEvaluation.tsx';
import {
  settingParts,
  valueAt,
  withValue,
} from '../../../src/ui/evaluate/chooser/setting-fields.ts';
import {
  ablationEntries,
  systemGroups,
  withTicked,
} from '../../../src/ui/evaluate/chooser/system-groups.ts';
import { freeId } from '../../../src/evaluate/systems/custom.ts';
import {
  faultOf,
  FIRST_SPEC,
  idOf,
  parseDraft,
  useEvaluateDraft,
} from '../../../src/ui/evaluate/store/evaluate-draft.ts';
import { EMPTY_EVALUATE, useEvaluate } from '../../../src/ui/evaluate/store/evaluate-store.ts';
import { evaluationRecord } from '../../fixtures/evaluations.ts';
import { buttonsIn, htmlOf, valuesOf, wordsIn } from '../kit/render.tsx';

beforeEach(() => {
  useEvaluate.setState(EMPTY_EVALUATE, true);
  useEvaluateDraft.setState(useEvaluateDraft.getInitialState(), true);
});

const custom = {
  ...duplicateOf(RECIPES[0]!, 'mine', 'Mine'),
  changes: { retrieval: { maxSearches: 1 } },
};

describe('systems to tick', () => {
  it('are every recipe once, by kind, one’s own first', () => {
    const groups = systemGroups([custom], '');
    expect(groups[0]?.name).toBe('Your own');
    const ids = groups.slice(1).flatMap(({ entries }) => entries.map(({ id }) => id));
    expect(ids.toSorted()).toEqual(RECIPES.map(({ id }) => id).toSorted());
  });

  it('are found by a part, a paper and several words', () => {
    const found = (filter: string) =>
      systemGroups([], filter).flatMap(({ entries }) => entries.map(({ id }) => id));
    expect(found('2505.15107')).toEqual(['step-search']);
    expect(found('PROCESS redundancy')).toEqual(['step-search']);
    expect(found('no such words')).toEqual([]);
  });

  it('are ticked at the end, each once, and taken out without moving the others', () => {
    const [search, rag] = ['search', 'naive-rag'].map((id) =>
      systemGroups([custom], '')
        .flatMap(({ entries }) => entries)
        .find((entry) => entry.id === id),
    );
    if (!search || !rag) throw new Error('the recipes are not there');
    const ticked = withTicked(['naive-rag', custom], [search, rag], true);
    expect(ticked.map(idOf)).toEqual(['naive-rag', 'mine', 'search']);
    expect(withTicked(ticked, [rag], false).map(idOf)).toEqual(['mine', 'search']);
  });

  it('come with what each is without one of its parts', () => {
    const whole = systemGroups([], '')
      .flatMap(({ entries }) => entries)
      .find(({ id }) => id === 'kunlun-baize');
    const ablations = whole ? ablationEntries(whole) : [];
    expect(ablations.map(({ custom: one }) => one?.changes)).toContainEqual({
      stie: { mode: 'off' },
    });
    expect(new Set(ablations.map(({ id }) => id)).size).toBe(ablations.length);
  });
});

/** Paths of all leaves of a value; lists are leaves. */
const leaves = (value: unknown, path: string): string[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([key, inner]) =>
        leaves(inner, path === '' ? key : `${path}.${key}`),
      )
    : [path];

describe('the fields of a system', () => {
  const fieldsOf = (settings: RecipeSettings) =>
    settingParts(settings).flatMap((part) => part.fields);
  /** A setting of several forms is one field, written as JSON. */
  const reached = (settings: RecipeSettings, leaf: string): boolean =>
    fieldsOf(settings).some(
      ({ path, setting }) =>
        path === leaf || (setting.kind === 'json' && leaf.startsWith(`${path}.`)),
    );

  it('reach every setting of every recipe, each once', () => {
    for (const { id, settings } of RECIPES) {
      const missing = leaves(settings, '').filter((path) => !reached(settings, path));
      // Which system it is does not change.
      expect(missing).toEqual(settings.system ? ['system.id'] : []);
      expect(settings.system?.id ?? id).toBe(id);
      const paths = fieldsOf(settings).map(({ path }) => path);
      expect(new Set(paths).size).toBe(paths.length);
    }
  });

  it('offer what the schema allows', () => {
    const kindAt = (path: string) =>
      fieldsOf(RECIPES[0]!.settings).find((field) => field.path === path)?.setting;
    expect(kindAt('stie.mode')).toEqual({ kind: 'choice', values: ['paper', 'corrected', 'off'] });
    expect(kindAt('retrieval.k')).toMatchObject({ kind: 'number', whole: true, min: 1, max: 20 });
    expect(kindAt('stie.stop.epsilon')).toMatchObject({ kind: 'number', whole: false });
    expect(kindAt('retrieval.honourTags')).toEqual({ kind: 'switch' });
    expect(kindAt('stie.thresholds')).toEqual({ kind: 'json' });
    expect(kindAt('nlr.routing')).toEqual({ kind: 'choice', values: ['sampled', 'argmax'] });
  });

  it('write changes that the schema takes, and take them back without a trace', () => {
    const changes = withValue(withValue({}, 'stie.stop.confidence', false), 'retrieval.k', 7);
    expect(changes).toEqual({ stie: { stop: { confidence: false } }, retrieval: { k: 7 } });
    const settings = withOverrides(RECIPES[0]!.settings, changes);
    expect(recipeSettingsSchema.safeParse(settings).success).toBe(true);
    expect([settings.stie.stop.confidence, settings.retrieval.k]).toEqual([false, 7]);
    expect(withValue(changes, 'stie.stop.confidence', undefined)).toEqual({ retrieval: { k: 7 } });
    expect(valueAt(changes, 'retrieval.constructor.name')).toBeUndefined();
  });

  it('open where something is changed, and say so', () => {
    const entry = systemGroups([custom], '')[0]?.entries[0];
    if (!entry) throw new Error('no entry');
    const html = htmlOf(<CustomEditor entry={entry} close={() => undefined} />, useEvaluate);
    expect(wordsIn(html)).toContain('retrieval · 1 change');
    expect(wordsIn(html)).toContain('max searches (changed)');
    expect(buttonsIn(html).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Save and select', 'Share (JSON)', 'Close', 'Delete']),
    );
  });
});

describe('the form', () => {
  const form = () => htmlOf(<NewEvaluation />, useEvaluate, useEvaluateDraft);

  it('says what is missing before it can run', () => {
    useEvaluate.setState({ status: 'ready' });
    useEvaluateDraft.getState().change({ systems: [] });
    const html = form();
    expect(wordsIn(html)).toContain('⚠ Select at least one system.');
    expect(buttonsIn(html).find(({ name }) => name === 'Run')?.disabled).toBe(true);
  });

  it('runs one at a time, and names the one that runs', () => {
    useEvaluate.setState({
      status: 'ready',
      evaluations: [evaluationRecord('a', { name: 'night', status: 'running' })],
    });
    const html = form();
    expect(wordsIn(html)).toContain('“night” is running. Pause it first; one at a time.');
    expect(buttonsIn(html).find(({ name }) => name === 'Run')?.disabled).toBe(true);
  });

  it('ticks what the draft has, and says of every system what it is', () => {
    const html = form();
    expect(wordsIn(html)).toContain('3 selected');
    expect(valuesOf(html, 'data-system')).toHaveLength(RECIPES.length);
    expect(html.match(/ticked" data-system/g)).toHaveLength(3);
    for (const { summary } of RECIPES) expect(wordsIn(html)).toContain(summary);
  });

  it('names what nobody named, after what is compared', () => {
    const at = '2026-03-04T12:00:00';
    const three = '3 systems · built-in world · Mar 4, 12:00';
    expect(nameOfSpec(DEFAULT_SPEC, at)).toBe(three);
    const fresh = { kind: 'fresh', seed: 7, split: 'test', limit: null } as const;
    const two = {
      ...DEFAULT_SPEC,
      systems: ['naive-rag', custom],
      questions: [fresh, ...DEFAULT_SPEC.questions],
    };
    expect(nameOfSpec(two, at)).toBe('Naive RAG, Mine · world of seed 7 +1 · Mar 4, 12:00');
    // One that is taken is counted on; a stored name stays what it is.
    expect(nameOfSpec(DEFAULT_SPEC, at, [three, `${three} (2)`])).toBe(`${three} (3)`);
  });

  it('begins with three systems on 20 questions, which is a spec that runs', () => {
    expect(FIRST_SPEC.systems).toHaveLength(3);
    expect(FIRST_SPEC.questions).toEqual([{ kind: 'built-in', split: 'test', limit: 20 }]);
    expect(faultOf(FIRST_SPEC)).toBeNull();
  });

  it('restores the last draft, or the default if it is invalid', () => {
    const spec = { ...DEFAULT_SPEC, systems: [custom, 'search'], seeds: [3, 4] };
    const kept = JSON.stringify({ device: 'wasm', spec });
    expect(parseDraft(kept)).toEqual({ device: 'wasm', spec });
    for (const broken of [null, '{', '{"device":"wasm","spec":{"systems":["gone"]}}'])
      expect(parseDraft(broken)).toEqual({ device: 'auto', spec: DEFAULT_SPEC });
  });

  it('finds an id for a copy that no system has', () => {
    expect(freeId('search', new Set(['search', 'search-2']))).toBe('search-3');
  });
});
