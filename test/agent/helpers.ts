import { expect } from 'vitest';
import type { AgentEvent } from '../../src/records/events.ts';
import type { Passage, Question } from '../../src/records/records.ts';
import type { Rollout } from '../../src/records/rollout.ts';
import { applyUpdate } from '../../src/agent/apply.ts';
import type { RolloutRequest } from '../../src/agent/request.ts';
import { createRouter, type Router } from '../../src/agent/router/router.ts';
import { runRollout } from '../../src/agent/run.ts';
import { getRecipe } from '../../src/systems/index.ts';
import type { SettingsOverride } from '../../src/recipes/parts/settings.ts';
import { createRetriever } from '../../src/retrieval/create.ts';
import { LexicalIndex } from '../../src/retrieval/lexical/lexical.ts';
import { LocalSource } from '../../src/retrieval/local.ts';
import type { Retriever } from '../../src/retrieval/retriever.ts';
import type { PolicyTokenizer } from '../../src/policy/policy.ts';
import { ScriptedPolicy, type Script } from './scripted-policy.ts';
import { tokenizer } from './tokenizer.ts';

const passage = (id: string, title: string, ...sentences: string[]): Passage => ({
  id,
  title,
  text: sentences.join(' '),
  sentences,
});

export const LOCAL: Passage[] = [
  passage('l0', 'Old Wolf', 'Old Wolf was written by Victor Kerlund.', 'It came out in 1931.'),
  passage('l1', 'Victor Kerlund', 'Victor Kerlund was born in Borfield in 1901.'),
  passage('l2', 'Silent Harbor', 'Silent Harbor is a film by Maria Cordine.'),
];
export const WEB: Passage[] = [
  passage('w0', 'Career of Victor Kerlund', 'Victor Kerlund works for Estdor Group.'),
  passage('w1', 'Estdor Group', 'Estdor Group was founded in 2008.'),
  passage('w2', 'Borfield', 'Borfield is a city in Mondria.'),
];

const source = (passages: Passage[]): LocalSource =>
  new LocalSource(passages, new LexicalIndex(passages), null);

/** Two real lexical indexes after the real retriever; the web is held in memory. */
export const retrieverOver = (local: Passage[] = LOCAL, web: Passage[] = WEB): Retriever => {
  const webSource = source(web);
  return createRetriever({
    local: source(local),
    web: {
      name: 'web',
      search: async (query, k, signal) => {
        const found = await webSource.search(query, k, signal);
        return { ...found, hits: found.hits.map((hit) => ({ ...hit, source: 'web' as const })) };
      },
    },
  });
};

export const QUESTION: Question = {
  id: 'q1',
  text: 'In which city was the author of Old Wolf born?',
  answers: ['Borfield'],
  hops: 2,
  type: 'bridge',
  supporting: ['Old Wolf', 'Victor Kerlund'],
};

export interface Options extends Partial<Omit<RolloutRequest, 'recipe' | 'overrides'>> {
  recipe?: string;
  overrides?: SettingsOverride;
  retriever?: Retriever;
  router?: Router;
}

export interface Ran {
  rollout: Rollout;
  policy: ScriptedPolicy;
}

/** Runs a scripted rollout and checks what must hold of every one. */
export async function run(script: Script, options: Options = {}): Promise<Ran> {
  const { recipe = 'search', overrides, retriever = retrieverOver(), ...others } = options;
  const { router = createRouter(), ...rest } = others;
  const policy = new ScriptedPolicy(script, overrides?.stie?.candidates ?? 4);
  let rebuilt: Rollout | null = null;
  const rollout = await runRollout(
    { policy, retriever, router, now: Date.now },
    {
      question: QUESTION,
      recipe: getRecipe(recipe),
      overrides,
      seed: 7,
      rolloutId: 'r',
      runId: 'run',
      groupId: 'g',
      step: 0,
      ...rest,
    },
    (update) => {
      if (update.type !== 'finished') rebuilt = applyUpdate(rebuilt, update);
    },
  );
  expectInvariants(rollout, policy);
  expectRebuilt(rollout, rebuilt);
  return { rollout, policy };
}

function expectRebuilt(rollout: Rollout, rebuilt: Rollout | null): void {
  expect(rebuilt?.segments).toEqual(rollout.segments);
  expect(rebuilt?.events).toEqual(rollout.events);
}

/** Segments are the context, decode to their text, and only sampled tokens are trained. */
export function expectSegments(
  rollout: Rollout,
  by: Pick<PolicyTokenizer, 'decode'> = tokenizer,
): void {
  for (const segment of rollout.segments) {
    expect(by.decode(segment.ids)).toBe(segment.text);
    const sampled = segment.logprobs !== undefined;
    expect(segment.mask).toBe(sampled ? 1 : 0);
    if (sampled) expect(segment.source).toBe('policy');
    if (!sampled) continue;
    expect(segment.logprobs).toHaveLength(segment.ids.length);
    expect(segment.entropies).toHaveLength(segment.ids.length);
  }
}

export function expectInvariants(rollout: Rollout, policy: ScriptedPolicy): void {
  expectSegments(rollout);
  const joined = rollout.segments.flatMap((segment) => segment.ids);
  expect(joined).toEqual(policy.main[0]?.ids ?? []);
  expect(policy.sessions.every((session) => session.closed)).toBe(true);
  expect(rollout.events.at(-1)?.kind).toBe('stop');
  for (const { segment = 0 } of rollout.events) expect(segment).toBeGreaterThanOrEqual(0);
  expect(rollout.events.filter((event) => event.kind === 'stop')).toHaveLength(1);
}

export const eventsOf = <K extends AgentEvent['kind']>(
  rollout: Rollout,
  kind: K,
): Extract<AgentEvent, { kind: K }>[] =>
  rollout.events.filter((event): event is Extract<AgentEvent, { kind: K }> => event.kind === kind);

export const stopReason = (rollout: Rollout): string | undefined =>
  eventsOf(rollout, 'stop')[0]?.reason;

export const faultsOf = (rollout: Rollout): string[] =>
  eventsOf(rollout, 'error')
    .filter((event) => event.what === 'malformed')
    .map((event) => event.message);

export const contextText = (rollout: Rollout): string =>
  rollout.segments.map((segment) => segment.text).join('');
