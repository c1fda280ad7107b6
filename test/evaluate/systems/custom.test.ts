import { assert, constantFrom, jsonValue, nat, property, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CustomSystemError,
  duplicateOf,
  parseCustomSystem,
  readCustomSystem,
  settingsOf,
  writeCustomSystem,
  type CustomSystem,
} from '../../../src/evaluate/systems/custom.ts';
import { readEvaluationFile } from '../../../src/evaluate/systems/file.ts';
import { parseSpec, DEFAULT_SPEC } from '../../../src/evaluate/systems/spec.ts';
import { getRecipe } from '../../../src/systems/index.ts';

const SYSTEM: CustomSystem = {
  ...duplicateOf(getRecipe('kunlun-baize'), 'mine', 'Mine'),
  changes: { stie: { mode: 'off', stop: { epsilon: 0.1 } }, retrieval: { k: 4 } },
};

const refusal = (change: object): string => {
  try {
    parseCustomSystem({ ...SYSTEM, ...change });
  } catch (error) {
    return error instanceof CustomSystemError ? error.message : `not ours: ${String(error)}`;
  }
  return 'accepted';
};

describe('a custom system', () => {
  it('comes back from its file, and runs under the recipe’s settings with its changes', () => {
    expect(readCustomSystem(writeCustomSystem(SYSTEM))).toEqual(SYSTEM);
    const settings = settingsOf(SYSTEM);
    expect([settings.stie.mode, settings.stie.stop.epsilon, settings.retrieval.k]).toEqual([
      'off',
      0.1,
      4,
    ]);
    const { stie, ...rest } = getRecipe('kunlun-baize').settings;
    expect(settings.stie.thresholds).toEqual(stie.thresholds);
    expect(settings.background).toEqual(rest.background);
  });

  it('is refused by the name of what is unknown', () => {
    expect(refusal({ changes: { telepathy: {} } })).toContain('"telepathy" is no part');
    expect(refusal({ changes: { stie: { mood: 'off' } } })).toContain('"stie.mood" is no setting');
    expect(refusal({ changes: { stie: { stop: { when: 1 } } } })).toContain('"stie.stop.when"');
    expect(refusal({ changes: { retrieval: { k: 'many' } } })).toContain('retrieval.k');
    expect(refusal({ base: 'search-r9' })).toContain('no recipe "search-r9"');
    expect(refusal({ colour: 'red' })).toContain('colour');
    expect(refusal({ format: 'forage.system/2' })).toContain('forage.system/1');
    expect(refusal({ id: 'search' })).toContain('search');
    expect(refusal({ changes: { background: { telepathy: {} } } })).toMatch(
      /"background\.telepathy" is no setting .*background has mode, k/,
    );
  });

  it('of a newer version is distinguished from other files, as an evaluation is', () => {
    expect(refusal({ format: 'forage.system/2' })).toMatch(
      /^This system is from a newer version of Forage: .*"forage\.system\/2".*update this one/,
    );
    expect(refusal({ format: 'forage.system/0' })).toMatch(/which does not exist/);
    for (const format of ['forage.system/x', 'forage.train/2', 2, null])
      expect(refusal({ format })).toMatch(/^This is not a system/);
    const evaluation = (format: string) => () => readEvaluationFile(JSON.stringify({ format }));
    expect(evaluation('forage.evaluation-file/7')).toThrow(
      /^This evaluation is from a newer version of Forage: .*"forage\.evaluation-file\/7"/,
    );
    expect(evaluation('forage.system/1')).toThrow(/^This is not an evaluation/);
  });

  it('mutated anywhere is valid or refused in one line', () => {
    const paths: string[][] = [];
    const walk = (value: unknown, path: string[]): void => {
      paths.push(path);
      if (typeof value === 'object' && value !== null)
        for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
    };
    walk(SYSTEM, []);
    const mutate = (path: string[], value: unknown, key: string | null): unknown => {
      const copy = structuredClone(SYSTEM) as unknown as Record<string, unknown>;
      let at = copy;
      for (const one of path.slice(0, -1)) at = at[one] as Record<string, unknown>;
      const last = path.at(-1);
      if (last === undefined) return value;
      at[key ?? last] = value;
      return copy;
    };
    assert(
      property(
        tuple(nat(paths.length - 1), jsonValue(), constantFrom(null, 'x'), string()),
        ([at, value, rename, name]) => {
          const mutated = mutate(paths[at] ?? [], value, rename === null ? null : name);
          try {
            const read = parseCustomSystem(mutated);
            expect(() => settingsOf(read)).not.toThrow();
            expect(parseCustomSystem(JSON.parse(writeCustomSystem(read)))).toEqual(read);
          } catch (error) {
            expect(error).toBeInstanceOf(CustomSystemError);
            expect((error as Error).message).not.toContain('\n');
            expect((error as Error).message.length).toBeLessThan(2000);
          }
        },
      ),
      { numRuns: 400 },
    );
    const text = writeCustomSystem(SYSTEM);
    assert(
      property(nat(text.length - 2), (cut) => {
        expect(() => readCustomSystem(text.slice(0, cut))).toThrow(CustomSystemError);
      }),
      { numRuns: 50 },
    );
  });

  it('is in an evaluation whole, and once', () => {
    const spec = parseSpec({ ...DEFAULT_SPEC, systems: ['search', SYSTEM] });
    expect(spec.systems).toEqual(['search', SYSTEM]);
    expect(() => parseSpec({ ...DEFAULT_SPEC, systems: [SYSTEM, SYSTEM] })).toThrow('twice');
    expect(() => parseSpec({ ...DEFAULT_SPEC, systems: ['nothing'] })).toThrow('nothing');
    expect(() => parseSpec({ ...DEFAULT_SPEC, seeds: [] })).toThrow('seeds');
    expect(parseSpec(JSON.parse(JSON.stringify(spec)))).toEqual(spec);
  });
});
