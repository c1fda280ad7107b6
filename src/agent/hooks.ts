import type { Hit } from '../records/hits.ts';
import type { RecipeSettings } from '../recipes/parts/settings.ts';
import { loadedCode } from '../recipes/parts/declared.ts';
import type { SystemSettings } from '../recipes/parts/system.ts';
import type { Retrieval } from '../retrieval/retriever.ts';
import type { RunState } from './state.ts';
import type { Steps } from './steps.ts';
import type { SampleOptions } from './transcript/conversation.ts';

/**
 * Where a system may change the search loop. Each hook is called at one place of the loop, in this order; the loop does
 * the usual where there is none.
 */
export interface LoopHooks {
  /** The whole loop, in place of think–search–answer; called where `loop` is `program`. */
  program?: (steps: Steps) => Promise<void>;
  /** Changes how the policy's next step is sampled. */
  samplingOptions?: (state: RunState) => Partial<Pick<SampleOptions, 'sampling' | 'latent'>>;
  /**
   * Decides on a query that the policy wrote, before any limit is checked: `search` makes the search; `skip` searches nothing
   * and lets the policy continue; `end` means that the hook ended the rollout.
   */
  onQuery?: (state: RunState, query: string) => Promise<'search' | 'skip' | 'end'>;
  /** Called before a search whose result the policy will read, the loop's own searches included. */
  beforeSearch?: (state: RunState) => Promise<void>;
  /** Changes what a search found, such as by more passages. */
  changeHits?: (state: RunState, found: Retrieval, query: string) => Promise<Hit[]>;
  /** Writes what the policy reads in place of the passages; null: the passages. */
  showResult?: (
    state: RunState,
    query: string,
    hits: readonly Hit[],
  ) => Promise<ShownResult | null>;
  /** Order in which the passages of a result are shown; best first where there is none. */
  arrangeHits?: (hits: readonly Hit[]) => Hit[];
  /** The text of a result, from all passages that were found, however many the context holds. */
  resultText?: (state: RunState, query: string, hits: readonly Hit[]) => string;
  /**
   * Cuts the tokens of a result.
   * @param around lengths of its opening and its closing tag
   */
  cutResult?: (ids: readonly number[], around: readonly [number, number]) => readonly number[];
  /** Puts a result into the context. */
  placeResult?: {
    /** Number of the segment that `write` will put it into. */
    segment: (state: RunState) => number;
    write: (state: RunState, text: string) => Promise<void>;
  };
  /** Whether an ask of the policy still gets its reply. */
  repliesToAsk?: (state: RunState) => boolean;
  /** Called after a result. */
  afterResult?: (state: RunState) => void;
}

export interface ShownResult {
  text: string;
  /** The summarizer had nothing to say: a hint follows. */
  fallback: boolean;
}

type MakeHooks = (system: SystemSettings) => LoopHooks;

const code = loadedCode<MakeHooks>('code');

/** Says where a system's hooks are; they are loaded with its first rollout. */
export const provideHooks = code.provide;

/** Loads the code of the systems that these settings name. @throws Error where one of them provides none */
export async function loadHooks(all: readonly Pick<RecipeSettings, 'system'>[]): Promise<void> {
  for (const id of new Set(all.flatMap(({ system }) => system?.id ?? []))) await code.load(id);
}

const made = new WeakMap<RecipeSettings, LoopHooks>();

/** Hooks under these settings, whose code is loaded. */
export function hooksOf(settings: RecipeSettings): LoopHooks {
  const { system } = settings;
  const known = made.get(settings);
  if (known) return known;
  const hooks = (system && code.get(system.id)?.(system)) ?? {};
  made.set(settings, hooks);
  return hooks;
}
