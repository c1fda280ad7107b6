import { expect } from 'vitest';
import { applyUpdate } from '../../../src/agent/apply.ts';
import { createRouter } from '../../../src/agent/router/router.ts';
import { runRollout } from '../../../src/agent/run.ts';
import type { Question } from '../../../src/records/records.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import type { Policy, PolicySession } from '../../../src/policy/policy.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import type { SettingsOverride } from '../../../src/recipes/parts/settings.ts';
import type { Retriever } from '../../../src/retrieval/retriever.ts';
import { QUESTION, retrieverOver } from '../helpers.ts';
import { ScriptedBackend, tokensOf } from '../../policy/remote/pieces/scripted-backend.ts';

export interface TextRun {
  policy: Policy;
  recipe?: string;
  overrides?: SettingsOverride;
  question?: Question;
  retriever?: Retriever;
  seed?: number;
  signal?: AbortSignal;
}

/** What a policy's main context was given and gave, in order. */
class Recorded {
  readonly ids: number[] = [];
  opened = 0;

  constructor(private readonly policy: Policy) {}

  /** The policy, with the first session's ids written down. */
  watched(): Policy {
    const { policy } = this;
    return {
      info: policy.info,
      tokenizer: policy.tokenizer,
      ...(policy.chat ? { chat: policy.chat } : {}),
      open: async (seed) => {
        const session = await policy.open(seed);
        return this.opened++ === 0 ? this.#watch(session) : session;
      },
      dispose: () => policy.dispose(),
    };
  }

  #watch(session: PolicySession): PolicySession {
    return {
      get length() {
        return session.length;
      },
      append: (ids) => {
        this.ids.push(...ids);
        session.append(ids);
      },
      generate: async (options) => {
        const generated = await session.generate(options);
        this.ids.push(...generated.ids);
        return generated;
      },
      fork: (seed) => session.fork(seed),
      close: () => session.close(),
    };
  }
}

/** Runs a rollout with a policy whose tags are text, and checks what must hold of every one. */
export async function runText(options: TextRun): Promise<Rollout> {
  const { policy, recipe = 'search', overrides, question = QUESTION, seed = 7, signal } = options;
  const recorded = new Recorded(policy);
  let rebuilt: Rollout | null = null;
  const rollout = await runRollout(
    {
      policy: recorded.watched(),
      retriever: options.retriever ?? retrieverOver(),
      router: createRouter(),
      now: Date.now,
    },
    {
      question,
      recipe: getRecipe(recipe),
      ...(overrides ? { overrides } : {}),
      seed,
      rolloutId: 'r',
      runId: 'run',
      groupId: 'g',
      step: 0,
      ...(signal ? { signal } : {}),
    },
    (update) => {
      if (update.type !== 'finished') rebuilt = applyUpdate(rebuilt, update);
    },
  );
  expectSegments(rollout, policy);
  expect(rollout.segments.flatMap((segment) => segment.ids)).toEqual(recorded.ids);
  expect(rebuilt).toMatchObject({ segments: rollout.segments, events: rollout.events });
  expect(rollout.events.filter((event) => event.kind === 'stop')).toHaveLength(1);
  return rollout;
}

/** Segments decode to their text, none is empty, and the mask says who wrote them. */
function expectSegments(rollout: Rollout, { tokenizer }: Policy): void {
  for (const segment of rollout.segments) {
    expect(tokenizer.decode(segment.ids)).toBe(segment.text);
    expect(segment.ids.length).toBeGreaterThan(0);
    if (segment.mask === 1) expect(segment.source).toBe('policy');
    for (const column of [segment.logprobs, segment.entropies]) {
      if (column) expect(column).toHaveLength(segment.ids.length);
    }
    if (segment.logprobs) expect(segment.mask).toBe(1);
    if (tokenizer.pieces) expect(segment.tokens?.join('')).toBe(segment.text);
  }
}

/** Events without times and places. */
export const eventsIn = (rollout: Rollout): unknown[] =>
  rollout.events.map((event) => ({
    ...event,
    t: 0,
    segment: 0,
    latencyMs: 0,
    addedDelayMs: 0,
    reward: 0,
  }));

/** A server that writes these calls, one after the other. */
export const serverOf = (calls: readonly string[], turns?: 'alternate'): ScriptedBackend => {
  let next = 0;
  return new ScriptedBackend(() => tokensOf(calls[next++] ?? ''), turns);
};
