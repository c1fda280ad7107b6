import { importRun } from '../../formats/rollouts/run.ts';
import { demonstrateGold } from '../../learn/demonstrations/from-gold.ts';
import { demonstrateRollout } from '../../learn/demonstrations/from-rollouts.ts';
import { teach, TEACHER_GROUP } from '../../learn/demonstrations/from-teacher.ts';
import { Tally } from '../../learn/demonstrations/tally.ts';
import {
  unwritable,
  type DemonstrationOptions,
  type DemonstrationSources,
  type Outcome,
} from '../../learn/demonstrations/write-rollout.ts';
import type { DemonstrationModel } from '../../learn/demonstrations/written-policy.ts';
import { rolloutOverrides } from '../../learn/rl/collect.ts';
import { parseTrainSettings } from '../../learn/settings/edit-settings.ts';
import { openReader } from '../../policy/open/reader.ts';
import { recipeOf } from '../../systems/index.ts';
import { withOverrides } from '../../recipes/parts/settings.ts';
import type { Question } from '../../records/records.ts';
import type { PolicyRef, Setup } from '../../records/setup.ts';
import type {
  DemonstrationsApi,
  DemonstrationsFrom,
  DemonstrationsOutcome,
  DemonstrationsProgress,
} from '../contract/demonstrations.ts';
import type { PolicyFacts } from '../models/serving/policy-facts.ts';
import type { PolicyLoader } from '../models/serving/policy-loader.ts';
import { NamedJobs } from '../storage/jobs.ts';
import type { TrainWorld } from './drive.ts';
import { withSource } from './setup-source.ts';

interface Parts {
  /** The model, without starting an engine. @throws Error where it cannot be trained */
  policy(ref: PolicyRef): Promise<PolicyFacts>;
  world(setup: Setup): Promise<TrainWorld>;
  openApart: PolicyLoader['openApart'];
}

const JOB = 'demonstrations';

/** Questions at the same time: a search waits for another worker, and for the web. */
const AT_ONCE = 8;

/** Between two messages of progress. */
const PROGRESS_MS = 250;

/** Tokenizer and chat template of the model; its weights stay where they are. */
async function modelOf(facts: PolicyFacts): Promise<DemonstrationModel> {
  const { files, release } = await facts.open();
  try {
    const reader = await openReader(files);
    const maxContext = facts.contexts?.maxContext ?? facts.config.maxPositions;
    const { id, revision } = facts;
    return {
      ...reader,
      info: { id, revision, parameters: 0, maxContext, device: 'wasm', dtype: '' },
    };
  } finally {
    release();
  }
}

/** Demonstrations in the lab worker, one call at a time. */
export class DemonstrationsHost implements DemonstrationsApi {
  readonly #parts: Parts;
  readonly #jobs = new NamedJobs();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  make(
    from: DemonstrationsFrom,
    { settings, setup, maxTokens, most }: Parameters<DemonstrationsApi['make']>[1],
    onProgress: (progress: DemonstrationsProgress) => void,
  ): Promise<DemonstrationsOutcome> {
    return this.#jobs.run(JOB, async (signal): Promise<DemonstrationsOutcome> => {
      const checked = withSource(parseTrainSettings(settings), setup);
      const { temperature, seed } = checked;
      const recipe = recipeOf(checked);
      const overrides = rolloutOverrides(checked, temperature);
      const loop = withOverrides(recipe.settings, overrides);
      const why = unwritable(loop, recipe.title, from.kind === 'rollouts');
      if (why !== null) throw new Error(why);
      const model = await modelOf(await this.#parts.policy(setup.policy));
      signal.throwIfAborted();
      const options = { recipe, overrides, seed, maxTokens, signal };
      const progress = new Progress(onProgress);
      const made =
        from.kind === 'rollouts'
          ? fromFiles(from, model, options)
          : this.#ofQuestions(from, setup, model, options, progress);
      const tally = new Tally();
      const lines: string[] = [];
      for await (const outcome of made) {
        signal.throwIfAborted();
        tally.add(outcome);
        if ('rollout' in outcome) lines.push(`${JSON.stringify(outcome.rollout)}\n`);
        progress.add(lines.length);
        if (lines.length >= most) break;
      }
      const file = lines.length > 0 ? new Blob(lines, { type: 'application/jsonl' }) : null;
      return { status: 'made', file, summary: tally.summary };
    });
  }

  cancel(): Promise<void> {
    this.#jobs.cancel(JOB);
    return Promise.resolve();
  }

  async *#ofQuestions(
    from: Exclude<DemonstrationsFrom, { kind: 'rollouts' }>,
    setup: Setup,
    model: DemonstrationModel,
    options: DemonstrationOptions,
    progress: Progress,
  ): AsyncGenerator<Outcome> {
    const { questions, retriever, router } = await this.#parts.world(setup);
    const asked = questions.filter(({ split }) => split === 'train');
    if (asked.length === 0)
      throw new Error('none of the questions is a training question; choose others.');
    const sources = { retriever, router, now: Date.now };
    if (from.kind === 'teacher') {
      progress.total = asked.length * TEACHER_GROUP;
      yield* this.#fromTeacher(from.policy, sources, model, asked, options);
      return;
    }
    progress.total = asked.length;
    for (let at = 0; at < asked.length; at += AT_ONCE) {
      const wave = asked.slice(at, at + AT_ONCE);
      yield* await Promise.all(
        wave.map((question) => demonstrateGold(sources, model, question, options)),
      );
    }
  }

  async *#fromTeacher(
    ref: PolicyRef,
    sources: DemonstrationSources,
    model: DemonstrationModel,
    questions: readonly Question[],
    options: DemonstrationOptions,
  ): AsyncGenerator<Outcome> {
    const lost = new AbortController();
    const opened = await this.#parts.openApart(ref, 'auto', (error) => lost.abort(error));
    const signal = AbortSignal.any([lost.signal, ...(options.signal ? [options.signal] : [])]);
    try {
      const models = { teacher: opened.policy, model };
      const how = { ...options, signal, group: TEACHER_GROUP };
      for await (const outcomes of teach(sources, models, questions, how)) yield* outcomes;
    } finally {
      opened.terminate();
    }
  }
}

async function* fromFiles(
  { files, name }: Extract<DemonstrationsFrom, { kind: 'rollouts' }>,
  model: DemonstrationModel,
  options: DemonstrationOptions,
): AsyncGenerator<Outcome> {
  for await (const item of importRun(files, name))
    yield item.kind === 'fault'
      ? { leftOut: 'unreadable' }
      : demonstrateRollout(model, item.rollout, options);
}

/** Says how far it is, a few times a second at most. */
class Progress {
  total: number | null = null;
  #done = 0;
  #last = -Infinity;

  constructor(private readonly listener: (progress: DemonstrationsProgress) => void) {}

  add(kept: number): void {
    this.#done += 1;
    const now = performance.now();
    if (now - this.#last < PROGRESS_MS && this.#done !== this.total) return;
    this.#last = now;
    this.listener({ done: this.#done, total: this.total, kept });
  }
}
