import { create } from 'zustand';
import { z } from 'zod';
import { checkedSettingsSchema } from '../../../learn/settings/edit-settings.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import { messageOf } from '../../../base/errors.ts';
import { untrainable } from '../../../learn/rl/trainable.ts';
import { warningsOf } from '../../../learn/run/warnings.ts';
import '../../../systems/rewards.ts';
import { getTraining, recipeOf, RECIPES, TRAININGS } from '../../../systems/index.ts';
import { withOverrides } from '../../../recipes/parts/settings.ts';
import { weightsProblem } from './reward-weights.ts';
import type {
  DemonstrationsFrom,
  DemonstrationsProgress,
} from '../../../lab/contract/demonstrations.ts';
import { DEVICES, type DeviceChoice } from '../../../lab/contract/settings.ts';
import type { GivenDemonstrations } from '../../../lab/contract/training.ts';
import type { TallySummary } from '../../../learn/demonstrations/tally.ts';
import { isObjectOrList } from '../../../base/objects.ts';
import { remember, remembered } from '../../kit/page/remembered.ts';

/**
 * The form of a new run: a recipe’s training and what differs from it, by path (`optimizer.learningRate`). A
 * field may hold what is not allowed yet; `checkDraft` says so beside it.
 */

export interface Draft {
  /** `search-r1/grpo` */
  training: string;
  /** By path of the settings; only what is not the recipe’s own. */
  changes: Readonly<Record<string, unknown>>;
  name: string;
  device: DeviceChoice;
  /** Id of the run whose adapter the new run starts from; absent: a new adapter. */
  startFrom?: string | undefined;
}

type Branch = Record<string, unknown>;

/** The value at a path; undefined where the path ends early. */
export const readPath = (from: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((at, key) => (isObjectOrList(at) ? at[key] : undefined), from);

/** Sets a value in place, making the branches that are missing; null is replaced by a branch. */
const writePath = (into: Branch, path: string, value: unknown): void => {
  const keys = path.split('.');
  let at = into;
  for (const key of keys.slice(0, -1)) {
    const next = at[key];
    if (isObjectOrList(next)) at = next;
    else {
      const made: Branch = {};
      at[key] = made;
      at = made;
    }
  }
  at[keys.at(-1)!] = value;
};

/** The settings as in the form, checked or not. Whole objects are set before their fields. */
export const rawSettings = ({ training, changes }: Pick<Draft, 'training' | 'changes'>): Branch => {
  const raw: Branch = { ...getTraining(training) };
  const paths = Object.keys(changes).sort((a, b) => a.split('.').length - b.split('.').length);
  for (const path of paths) writePath(raw, path, structuredClone(changes[path]));
  return raw;
};

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The same without what is at the path. */
const withoutPath = (from: unknown, path: readonly string[]): unknown => {
  const [key, ...rest] = path;
  if (key === undefined || !isObjectOrList(from) || !(key in from)) return from;
  const { [key]: held, ...others } = from;
  return rest.length === 0 ? others : { ...from, [key]: withoutPath(held, rest) };
};

/** Changes of whole objects without the field at the path. */
const withoutField = (changes: Draft['changes'], path: string): Draft['changes'] =>
  Object.fromEntries(
    Object.entries(changes).map(([key, held]) =>
      path.startsWith(`${key}.`)
        ? [key, withoutPath(held, path.slice(key.length + 1).split('.'))]
        : [key, held],
    ),
  );

/**
 * The draft with one value changed; a value that is the recipe's own is not a change.
 * @param value undefined: the recipe's own, or none where it has none
 */
export const withChange = (draft: Draft, path: string, value: unknown): Draft => {
  const { [path]: _dropped, ...others } = draft.changes;
  // A switched-off object takes the changes of its fields along.
  const kept = Object.fromEntries(
    Object.entries(others).filter(([key]) => !key.startsWith(`${path}.`)),
  );
  const { training } = draft;
  const wanted = value === undefined ? readPath(getTraining(training), path) : value;
  // An earlier run's settings come as whole objects.
  const base = wanted === undefined ? withoutField(kept, path) : kept;
  const own = readPath(rawSettings({ training, changes: base }), path);
  // A part that the recipe does not have is off.
  const same = wanted === undefined || sameJson(own ?? null, wanted);
  return { ...draft, changes: same ? base : { ...base, [path]: wanted } };
};

/** What stays when another training is chosen: how much and where from, not how it learns. */
const KEPT = [
  'seed',
  'start',
  'steps',
  'questions',
  'groupSize',
  'heldOut.questions',
  'heldOut.every',
];

/** The draft with another training: changes of how it learns belonged to the one before. */
export const withTraining = (draft: Draft, training: string): Draft => ({
  ...draft,
  training,
  changes: Object.fromEntries(Object.entries(draft.changes).filter(([key]) => KEPT.includes(key))),
});

/** A schema's complaint in the words of a form. */
const complaint = (issue: z.core.$ZodIssue): string => {
  switch (issue.code) {
    case 'too_small':
      if (issue.origin === 'array') return 'Choose at least one.';
      return issue.inclusive === false
        ? `Must be above ${String(issue.minimum)}.`
        : `At least ${String(issue.minimum)}.`;
    case 'too_big':
      return `At most ${String(issue.maximum)}.`;
    case 'invalid_type':
      return issue.expected === 'int' ? 'Must be a whole number.' : 'A value is needed.';
    default:
      return issue.message;
  }
};

/** A draft after its check by the schema of settings. */
export interface Checked {
  /** null where something is not allowed. */
  settings: TrainSettings | null;
  /** By path. */
  errors: Readonly<Record<string, string>>;
  /** Allowed, but hardly meant. */
  warnings: readonly string[];
}

/** Problem of the recipe and of what was changed in it, of all rollouts or of those of a stage; null where there is none. */
const recipeProblem = (settings: TrainSettings): { path: string; words: string } | null => {
  let path = 'overrides';
  try {
    const all = withOverrides(recipeOf(settings).settings, settings.overrides);
    for (const [index, { overrides = {} }] of settings.stages.entries()) {
      path = `stages.${index}.overrides`;
      withOverrides(all, overrides);
    }
    return null;
  } catch (error) {
    return { path, words: messageOf(error) };
  }
};

/** What is allowed of a draft: schema, then weights, recipe and trainability, each once those before are in order. */
export const checkDraft = (draft: Pick<Draft, 'training' | 'changes'>): Checked => {
  const parsed = checkedSettingsSchema.safeParse(rawSettings(draft));
  if (!parsed.success) {
    const errors: Record<string, string> = {};
    for (const issue of parsed.error.issues) errors[issue.path.join('.')] ??= complaint(issue);
    return { settings: null, errors, warnings: [] };
  }
  const weights = parsed.data.stages.flatMap(({ reward, weights }, index) => {
    const problem = weightsProblem(reward, weights);
    return problem === null ? [] : [[`stages.${index}.weights`, problem] as const];
  });
  if (weights.length > 0)
    return { settings: null, errors: Object.fromEntries(weights), warnings: [] };
  const problem = recipeProblem(parsed.data);
  if (problem !== null)
    return { settings: null, errors: { [problem.path]: problem.words }, warnings: [] };
  // Whether there is a summarizer is not a field of the form: the bar below it says so.
  const fault = untrainable(parsed.data, { summarizer: true });
  if (fault) {
    // A field of the form shows its own problem, any other setting that of all that was changed.
    const path = fault.path.startsWith('overrides.') ? 'overrides' : fault.path;
    return { settings: null, errors: { [path]: fault.message }, warnings: [] };
  }
  return { settings: parsed.data, errors: {}, warnings: warningsOf(parsed.data) };
};

/** Whether a change of `path` has to do with a complaint about `fault`. */
const touches = (path: string, fault: string): boolean =>
  `${fault}.`.startsWith(`${path}.`) || `${path}.`.startsWith(`${fault}.`);

/**
 * The draft without the changes that are not allowed: what was typed by mistake, or allowed by another
 * version, is the recipe's own again when the form is opened again.
 */
export const withoutFaults = (draft: Draft): Draft => {
  const faults = Object.keys(checkDraft(draft).errors);
  if (faults.length === 0) return draft;
  const kept = Object.entries(draft.changes).filter(
    ([path]) => !faults.some((fault) => touches(path, fault)),
  );
  // Settings that contradict each other: there is no telling which one to keep.
  if (kept.length === Object.keys(draft.changes).length) return { ...draft, changes: {} };
  // Checked again: a fault may have hidden another one.
  return withoutFaults({ ...draft, changes: Object.fromEntries(kept) });
};

const IDS = TRAININGS.map(({ id }) => id);

const FIRST: Draft = { training: IDS[0] ?? '', changes: {}, name: '', device: 'auto' };

const draftSchema = z.object({
  training: z.enum(IDS),
  changes: z.record(z.string(), z.unknown()),
  name: z.string(),
  device: z.enum(DEVICES),
  startFrom: z.string().optional(),
});

const KEY = 'forage.train-draft';

/**
 * The draft of the last visit; the first training where there is none that can be read. A name is that of
 * one run, and does not come back.
 */
export const parseDraft = (text: string | null): Draft => {
  try {
    return withoutFaults({ ...draftSchema.parse(JSON.parse(text ?? '')), name: '' });
  } catch {
    return FIRST;
  }
};

/** The file of trajectories for the cold start of a new run, or for its stages that learn from stored ones. */
export interface DemonstrationsFile {
  file: File | null;
  /** Id of the stored file on Rollouts, which can be read again after a reload; null: a file of the computer, or none. */
  stored: string | null;
  /** Trajectories in it, with those whose answer was right, or with its pairs; null until it is read or where it cannot be. */
  counts:
    | { of: 'rollouts'; all: number; right: number; given: GivenDemonstrations }
    | { of: 'stored'; all: number; pairs: number }
    | null;
  problem: string | null;
}

export const NO_DEMONSTRATIONS: DemonstrationsFile = {
  file: null,
  stored: null,
  counts: null,
  problem: null,
};

/** Making demonstrations for a new run. */
export interface Making {
  /** While they are made. */
  progress: DemonstrationsProgress | null;
  /** What the last ones were made of. */
  made: { of: DemonstrationsFrom['kind']; summary: TallySummary } | null;
  /** Why the last ones could not be made. */
  problem: string | null;
}

export const NOT_MAKING: Making = { progress: null, made: null, problem: null };

interface TrainForm {
  /** Remembered in this browser. */
  draft: Draft;
  /** The draft that was last replaced as a whole; null where there is nothing to bring back. Until a reload. */
  replaced: Draft | null;
  /** Changed by `demonstrations.ts`. */
  demonstrations: DemonstrationsFile;
  /** Changed by `make-demonstrations.ts`. */
  making: Making;
}

/** The form of a new run. Apart from `useTrain`, since the published trainings are loaded with the form. */
export const useTrainForm = create<TrainForm>()(() => ({
  draft: parseDraft(remembered(KEY)),
  replaced: null,
  demonstrations: NO_DEMONSTRATIONS,
  making: NOT_MAKING,
}));

useTrainForm.subscribe(({ draft }, before) => {
  if (draft !== before.draft) remember(KEY, JSON.stringify(draft));
});

/** Changes the draft; one that comes back as it was renders nothing. */
export const editDraft = (change: Partial<Draft> | ((draft: Draft) => Draft)): void =>
  useTrainForm.setState((form) => {
    const next = typeof change === 'function' ? change(form.draft) : change;
    return next === form.draft ? form : { draft: { ...form.draft, ...next } };
  });

/**
 * Changes one value of the form.
 * @param value undefined: the recipe’s own again
 */
export const changeDraft = (path: string, value: unknown): void =>
  editDraft((draft) => withChange(draft, path, value));

/** Whether a draft holds more than the recipe that the form begins with. */
const isFilled = ({ training, changes, name, device, startFrom }: Draft): boolean =>
  startFrom !== undefined ||
  training !== FIRST.training ||
  Object.keys(changes).length > 0 ||
  name.trim() !== '' ||
  device !== FIRST.device;

/** Fills the form with another draft; `undoReplace` brings back the one before. */
export const replaceDraft = (draft: Draft): void => {
  const { draft: before } = useTrainForm.getState();
  editDraft(draft);
  if (isFilled(before) && !sameJson(before, draft)) useTrainForm.setState({ replaced: before });
};

export const forgetReplaced = (): void => useTrainForm.setState({ replaced: null });

/** Brings back what was replaced. */
export const undoReplace = (): void => {
  const { replaced } = useTrainForm.getState();
  if (replaced) editDraft(replaced);
  forgetReplaced();
};

/** Starts the form from another published training; `KEPT` names what stays of the draft. */
export const chooseTraining = (training: string): void => {
  const { draft: before } = useTrainForm.getState();
  const draft = withTraining(before, training);
  // Another choice brings the recipe back, but not its changes.
  const loses = Object.keys(draft.changes).length < Object.keys(before.changes).length;
  if (loses) replaceDraft(draft);
  else editDraft(draft);
};

/** All of the form but its recipe is as at the beginning, device and name too. */
export const resetDraft = (): void =>
  replaceDraft({
    ...FIRST,
    startFrom: undefined,
    training: useTrainForm.getState().draft.training,
  });

/** Settings of an earlier run as a draft: its recipe and all that differs. */
export const draftOf = (settings: TrainSettings, name: string): Draft | null => {
  const training = settings.preset;
  if (!IDS.includes(training)) return null;
  const base: Branch = { ...getTraining(training) };
  const changes = Object.fromEntries(
    Object.entries(settings).filter(([key, value]) => !sameJson(base[key], value)),
  );
  return { training, changes, name, device: 'auto' };
};

/** Whose loop the rollouts run. */
export const LOOP_CHOICES = RECIPES.map(({ id, title }) => ({ value: id, label: title }));
