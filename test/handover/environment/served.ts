import { serveHttp, type HttpOptions } from '../../../src/cli/shared/http-server.ts';
import {
  Environment,
  refused,
  type EnvironmentOptions,
  type EnvironmentParts,
} from '../../../src/handover/environment/environment.ts';
import type {
  Answer,
  Done,
  Result,
  SampleRequest,
  Turn,
} from '../../../src/handover/environment/protocol.ts';
import { withChanges } from '../../../src/learn/settings/edit-settings.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { tokenizer } from '../../agent/tokenizer.ts';
import { testWorld } from './world.ts';

/** An environment after a real server, and a trainer's side of the dialogue. */

/** An episode as a caller writes it: what has a default may be left out. */
export type EpisodeInput = {
  id: string;
  step: number;
  draw?: number;
  heldOut?: number;
  question?: string;
  index?: number;
  group?: string;
  groupSeed?: number;
  evaluate?: boolean;
  record?: boolean;
  logprobsOf?: 'sampling' | 'temperature' | 'unknown';
};

export interface Called {
  status: number;
  text: string;
}

export interface Served {
  url: string;
  environment: Environment;
  records: Rollout[];
  post(path: string, body: unknown): Promise<Called>;
  open(rollouts: readonly EpisodeInput[]): Promise<Turn>;
  step(answers: readonly Partial<Answer>[]): Promise<Turn>;
  stop(): Promise<void>;
}

export const settingsOf = (recipe: string, changes: readonly string[] = []): TrainSettings =>
  withChanges(getTraining(recipe), changes);

/** Parts over the shipped world and the built-in policy's tokenizer. */
export async function partsOf(
  settings: TrainSettings,
  changes: Partial<EnvironmentParts> = {},
): Promise<EnvironmentParts> {
  const { questions, retriever, router } = await testWorld();
  return {
    settings,
    runId: 'run',
    questions,
    retriever,
    router,
    curriculum: null,
    startStep: 0,
    shard: { index: 0, of: 1 },
    reader: {
      info: {
        id: 'baize-mini',
        revision: 'r',
        parameters: 0,
        maxContext: 512,
        device: 'server',
        dtype: '',
      },
      tokenizer,
    },
    vocabulary: tokenizer.vocabSize,
    now: Date.now,
    version: '0',
    hash: 'h',
    ...changes,
  };
}

const LIMITS = { rollouts: 1000, expireSeconds: 600, keptChars: 2 ** 22, bodyBytes: 2 ** 22 };

/** @throws Error with the server's words where a call is refused */
export async function serve(
  parts: EnvironmentParts,
  limits: Partial<EnvironmentOptions['limits']> = {},
  http: Partial<HttpOptions> = {},
): Promise<Served> {
  const records: Rollout[] = [];
  const environment = new Environment(parts, {
    limits: { ...LIMITS, ...limits },
    onRollout: (rollout) => void records.push(rollout),
  });
  const server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    token: null,
    bodyBytes: limits.bodyBytes ?? LIMITS.bodyBytes,
    tooLarge: 'send fewer',
    refuse: refused,
    answer: (method, path, body) => environment.call(method, path, body),
    ...http,
  });
  const post = async (path: string, body: unknown): Promise<Called> => {
    const reply = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: reply.status, text: await reply.text() };
  };
  const turn = async (path: string, body: unknown): Promise<Turn> => {
    const { status, text } = await post(path, body);
    if (status !== 200) throw new Error(`${status} ${text}`);
    return JSON.parse(text) as Turn;
  };
  return {
    url: server.url,
    environment,
    records,
    post,
    open: (rollouts) => turn('/v1/open', { rollouts }),
    step: (answers) => turn('/v1/step', { answers }),
    stop: async () => {
      environment.stop('the test is over');
      await server.close(1000);
    },
  };
}

export const isFailure = (done: Done): done is Extract<Done, { error: string }> => 'error' in done;

/** The results of a turn. @throws Error where one is a failure */
export const resultsOf = (done: readonly Done[]): Result[] =>
  done.map((one) => {
    if (isFailure(one)) throw new Error(`${one.rollout}: ${one.error}`);
    return one;
  });

/** Drives rollouts to their ends as a trainer does. */
export async function drive(
  served: Pick<Served, 'open' | 'step'>,
  episodes: readonly EpisodeInput[],
  sample: (request: SampleRequest) => Omit<Answer, 'id'>,
): Promise<Done[]> {
  let turn = await served.open(episodes);
  const done = [...turn.done];
  while (turn.requests.length > 0) {
    turn = await served.step(turn.requests.map((one) => ({ id: one.id, ...sample(one) })));
    done.push(...turn.done);
  }
  return done;
}
