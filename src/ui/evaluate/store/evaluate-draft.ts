import { create } from 'zustand';
import { z } from 'zod';
import {
  DEFAULT_SPEC,
  parseSpec,
  type EvaluationSpec,
  type SystemChoice,
} from '../../../evaluate/systems/spec.ts';
import { messageOf } from '../../../base/errors.ts';
import { DEVICES, type DeviceChoice } from '../../../lab/contract/settings.ts';
import { remember, remembered } from '../../kit/page/remembered.ts';

/** The form of the next evaluation; stored in this browser. */

interface EvaluateDraft {
  /** Empty: named automatically. */
  name: string;
  device: DeviceChoice;
  spec: EvaluationSpec;
  change: (part: Partial<EvaluationSpec>) => void;
}

const KEY = 'forage.evaluation';

/** Three systems on 20 questions: the one-click example. */
export const FIRST_SPEC: EvaluationSpec = {
  ...DEFAULT_SPEC,
  questions: [{ kind: 'built-in', split: 'test', limit: 20 }],
};

/** The stored part. The name belongs to one evaluation and is not stored. */
const kept = z.object({ device: z.enum(DEVICES), spec: z.unknown() });

/** The draft of the last visit; the default if there is no valid one. */
export const parseDraft = (text: string | null): Pick<EvaluateDraft, 'device' | 'spec'> => {
  try {
    const { device, spec } = kept.parse(JSON.parse(text ?? ''));
    return { device, spec: parseSpec(spec) };
  } catch {
    return { device: 'auto', spec: DEFAULT_SPEC };
  }
};

/** State of the new-evaluation form; device and spec are stored on every change. */
export const useEvaluateDraft = create<EvaluateDraft>()((set) => ({
  name: '',
  ...parseDraft(remembered(KEY)),
  change: (part) => set(({ spec }) => ({ spec: { ...spec, ...part } })),
}));

useEvaluateDraft.subscribe(({ device, spec }) => {
  remember(KEY, JSON.stringify({ device, spec }));
});

/** Key of a choice: the id of a recipe, or of a custom system. */
export const idOf = (system: SystemChoice): string =>
  typeof system === 'string' ? system : system.id;

/** Adds a system to the next evaluation; a selected one keeps its settings. */
export const tickSystem = (system: SystemChoice): void => {
  const { spec, change } = useEvaluateDraft.getState();
  const others = spec.systems.filter((one) => idOf(one) !== idOf(system));
  change({ systems: [...others, system] });
};

/** Why a spec cannot be run, in one line; null if it can. */
export const faultOf = (spec: EvaluationSpec): string | null => {
  // In terms of the form; the schema's messages would name fields that the page does not show.
  if (spec.systems.length === 0) return 'Select at least one system.';
  if (spec.policies.length === 0) return 'Select at least one model.';
  if (spec.questions.length === 0) return 'Add at least one set of questions.';
  if (spec.seeds.length === 0) return 'Enter at least one seed.';
  try {
    parseSpec(spec);
    return null;
  } catch (error) {
    return messageOf(error);
  }
};
