import { completeAddress } from '../../retrieval/engines/address.ts';
import { ENGINES } from '../../retrieval/engines/kinds/list.ts';
import { openWebSource, type EngineSpec } from '../../retrieval/engines/open.ts';
import { testConnection } from '../../retrieval/engines/test-connection.ts';
import type { Source } from '../../retrieval/sources.ts';
import { UsageError, type OptionSpec, type OptionValues } from './options.ts';

/** A search engine in place of the world's web, such as a retrieval server over 21 million passages. */

export interface EngineOptions {
  spec: EngineSpec;
  /** Calls under way at once; polite to a stranger's server by default. */
  calls?: number | undefined;
}

const KINDS = ENGINES.map(({ id }) => id).join(', ');

export const ENGINE_OPTIONS = {
  engine: {
    type: 'string',
    value: 'KIND=URL',
    help: `a search engine instead of the world's web (${KINDS}); changes the default of --source to web`,
  },
  'engine-calls': {
    type: 'integer',
    value: 'N',
    help: 'concurrent calls to --engine, without pauses; only for your own server (default: a few, with pauses)',
    min: 1,
    max: 1024,
  },
} as const satisfies Record<string, OptionSpec>;

/** Reads `search-r1=localhost:8000`. @throws UsageError */
function readEngine(given: string): EngineSpec {
  const equals = given.indexOf('=');
  const kind = given.slice(0, equals);
  if (equals < 1 || !ENGINES.some(({ id }) => id === kind))
    throw new UsageError(`--engine is '${given}'; it must be KIND=URL, with a KIND of ${KINDS}.`);
  const url = completeAddress(kind, given.slice(equals + 1));
  if (url === null)
    throw new UsageError(`--engine is '${given}'; write the address of the engine after the =.`);
  return { kind, url };
}

/** What the options say; undefined without `--engine`. @throws UsageError */
export function engineOptions(values: OptionValues): EngineOptions | undefined {
  const [given, calls] = [values['engine'], values['engine-calls']];
  if (given === undefined) {
    if (calls === undefined) return undefined;
    throw new UsageError('--engine-calls needs --engine KIND=URL.');
  }
  return {
    spec: readEngine(String(given)),
    ...(calls !== undefined && { calls: Number(calls) }),
  };
}

/**
 * The engine as the web source, once it has answered: a rollout whose search fails finds nothing and
 * continues, so that the only sign of a wrong address would be low scores.
 * @throws UsageError that says what is wrong and what to do
 */
export async function openEngine({ spec, calls }: EngineOptions): Promise<Source> {
  const limits = calls === undefined ? {} : { concurrency: calls, intervalMs: 0 };
  const { outcome, said, advice } = await testConnection(spec, { limits });
  if (outcome !== 'ok' && outcome !== 'empty')
    throw new UsageError(`--engine ${spec.kind}=${spec.url}: ${said} ${advice}`.trim());
  return openWebSource(spec, {
    builtIn: () => {
      throw new Error('a search engine is not built in');
    },
    limits,
  });
}
