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

/** What the next evaluation is to be; remembered in this browser. */

interface EvaluateDraft {
  /** Empty: named after what it compares. */
  name: string;
  device: DeviceChoice;
  spec: EvaluationSpec;
  change: (part: Partial<EvaluationSpec>) => void;
}

const KEY = 'forage.evaluation';

/** Three systems on 20 questions: what one press begins with. */
export const FIRST_SPEC: EvaluationSpec = {
  ...DEFAULT_SPEC,
  questions: [{ kind: 'built-in', split: 'test', limit: 20 }],
};

/** What is remembered. The name is not: it is that of one evaluation. */
const kept = z.object({ device: z.enum(DEVICES), spec: z.unknown() });

/** The draft of the last visit; the default where there is none that can be read. */
export const parseDraft = (text: string | null): Pick<EvaluateDraft, 'device' | 'spec'> => {
  try {
    const { device, spec } = kept.parse(JSON.parse(text ?? ''));
    return { device, spec: parseSpec(spec) };
  } catch {
    return { device: 'auto', spec: DEFAULT_SPEC };
  }
};

/** The form of a new evaluation; device and spec are remembered with every change. */
export const useEvaluateDraft = create<EvaluateDraft>()((set) => ({
  name: '',
  ...parseDraft(remembered(KEY)),
  change: (part) => set(({ spec }) => ({ spec: { ...spec, ...part } })),
}));

useEvaluateDraft.subscribe(({ device, spec }) => {
  remember(KEY, JSON.stringify({ device, spec }));
});

/** By what a choice is distinguished from others: the id of a recipe, or of a system of your own. */
export const idOf = (system: SystemChoice): string =>
  typeof system === 'string' ? system : system.id;

/** Adds a system to those of the next evaluation; one that is ticked already is taken as it is given. */
export const tickSystem = (system: SystemChoice): void => {
  const { spec, change } = useEvaluateDraft.getState();
  const others = spec.systems.filter((one) => idOf(one) !== idOf(system));
  change({ systems: [...others, system] });
};

/** What is wrong with a spec that cannot be run, in a line; null where nothing is. */
export const faultOf = (spec: EvaluationSpec): string | null => {
  // In the words of the form; the schema's would name fields of a file that nobody sees here.
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
