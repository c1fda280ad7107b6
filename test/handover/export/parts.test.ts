import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { exportFolder, exportRefusals } from '../../../src/handover/export/export-folder.ts';
import { readBundledFile } from '../../../src/handover/files/bundled.ts';
import { definedRules } from '../../../src/learn/objective.ts';
import { withChanges } from '../../../src/learn/settings/edit-settings.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { trainSettingsSchema } from '../../../src/recipes/parts/training.ts';
import { tinySource } from './source.ts';

/** Every part that a recipe may have beside what all have: carried to the other trainer, or refused by name. */

const SFT =
  '{"steps":1,"reward":"em","weights":{},"loss":{"kind":"sft","weight":"right","gold":false}}';

/** Settings that are refused, and what is changed to have them; the path that the refusal names, where it is another. */
const REFUSED: Record<string, [changes: string[], path?: string]> = {
  'objective.credit': [['objective.credit=span']],
  'objective.rules.gppo': [['objective.rules.gppo={}', 'updates=2']],
  'objective.rules.right-likelihood': [['objective.rules.right-likelihood.weight=0.1']],
  'objective.rules.diversity': [['objective.rules.diversity={}']],
  'objective.rules.worse-only': [['objective.rules.worse-only={}']],
  'objective.rules.fspo': [['objective.rules.fspo={}', 'stages.0.reward=fspo']],
  'objective.kl.system': [
    ['objective.kl.place=loss', 'objective.kl.system={"id":"kdrl","to":0.001,"of":"all"}'],
  ],
  'objective.rules.result-mask': [['objective.rules.result-mask.by=by-tags']],
  'objective.rules.finished-only': [['objective.rules.finished-only={}']],
  'stages.loss': [[`stages=[${SFT}]`], 'stages.0.loss'],
  'stages.overrides': [
    ['stages=[{"steps":1,"reward":"em","weights":{},"overrides":{"retrieval":{"k":1}}}]'],
    'stages.0.overrides',
  ],
  branching: [['branching={"id":"tree-rpo","children":2,"depth":2}']],
  verifier: [
    ['verifier={"id":"verifier-pitfalls","falseNegative":0.1}'],
  ],
  'objective.estimator': [['objective.estimator={"id":"ppo"}']],
  start: [['start=not-searching']],
  'adapter.gates': [
    ['adapter.gates={"id":"hrpo","rMin":0.98,"rMax":0.99,"learningRate":0.001,"lambdaLearningRate":0.01}'],
  ],
  'dynamicSampling.by': [['dynamicSampling.by={"above":0.2,"below":0.8}']],
  'dynamicSampling.system': [['dynamicSampling.system={"id":"speed-rl","screen":4}']],
  'curriculum.system': [
    ['curriculum.system={"id":"inspo","population":2,"temperature":0.1,"rate":0.3,"every":0,"proposals":1,"verify":1,"replay":1,"tokens":8}'],
  ],
  'warmUp.own': [
    ['warmUp={"own":{},"length":{"updates":1},"batch":2,"learningRate":0.001,"onlyCorrect":true}'],
    'warmUp',
  ],
  'warmUp.heldOut': [['warmUp={"length":{"updates":1},"heldOut":0.1,"batch":2,"learningRate":0.001,"onlyCorrect":true}'], 'warmUp'],
  'warmUp.questions': [['warmUp={"length":{"updates":1},"questions":2,"batch":2,"learningRate":0.001,"onlyCorrect":true}'], 'warmUp'],
  'warmUp.stopAt': [['warmUp={"length":{"updates":1},"questions":2,"stopAt":0.9,"batch":2,"learningRate":0.001,"onlyCorrect":true}'], 'warmUp'],
  system: [['overrides.system.id=smart-rag', 'overrides.system.reset=true'], 'overrides.system'],
}; // prettier-ignore

/** Settings that the environment carries out: it draws the questions and runs the loop with its engine and rewards. */
const CARRIED = ['recipeVersion'];

type Node = z.core.$ZodType & { _zod: { def: { type: string; innerType?: Node; element?: Node } } };

/** Paths of what may be absent in an object. Unions are one place. */
function optionalPaths(schema: z.core.$ZodType, path: readonly string[] = []): string[] {
  const { def } = (schema as Node)._zod;
  if (def.type === 'array' && def.element) return optionalPaths(def.element, path);
  if (def.type === 'optional') return [path.join('.'), ...(def.innerType ? optionalPaths(def.innerType, path) : [])]; // prettier-ignore
  if (def.innerType) return optionalPaths(def.innerType, path);
  if (def.type !== 'object') return [];
  const { shape } = def as unknown as { shape: Record<string, z.core.$ZodType> };
  return Object.entries(shape).flatMap(([key, value]) => optionalPaths(value, [...path, key]));
}

describe('parts of a recipe that another trainer is given', () => {
  it('are all known: what may be switched on is carried or refused', () => {
    const rules = [...definedRules.keys()].map((id) => `objective.rules.${id}`);
    const training = [...optionalPaths(trainSettingsSchema), ...rules];
    expect(training).toContain('objective.credit');
    const known = new Set([...Object.keys(REFUSED), ...CARRIED]);
    expect(training.filter((path) => !known.has(path))).toEqual([]);
  });

  it.each(Object.entries(REFUSED))('%s is refused by name, by either', async (part, given) => {
    const [changes, path = part] = given;
    const source = tinySource(withChanges(getTraining('search/grpo'), changes));
    for (const to of ['trl', 'verl'] as const) {
      expect(exportRefusals(source, to).map(({ setting }) => setting)).toContain(path);
      await expect(exportFolder(source, to, { read: readBundledFile })).rejects.toThrow(path);
    }
  });

  it.each([
    ['arpo/grpo', 'a group whose rollouts branch off each other by entropy'],
    ['tree-rpo/grpo', 'a group whose rollouts are a tree of turns'],
    ['rex-rag/grpo', 'a group whose rollouts are continued from where they failed'],
  ])('of %s the refusal says what the other trainer lacks: %s', (id, words) => {
    for (const to of ['trl', 'verl'] as const) {
      const found = exportRefusals(tinySource(getTraining(id)), to);
      const branching = found.find(({ setting }) => setting === 'branching');
      expect(branching?.why).toContain(words);
      expect(branching?.without).toBeNull();
    }
  });
});
