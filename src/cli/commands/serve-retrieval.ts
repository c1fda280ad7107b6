import { once } from 'node:events';
import type { Hit, SearchTarget } from '../../records/hits.ts';
import { METHOD_IDS } from '../../retrieval/setup.ts';
import { serveRetrieval } from '../parts/retrieval-server.ts';
import { endProgress, print, say, sayProgress, type Command } from '../shared/command.ts';
import { openCorpus, readCorpus } from '../shared/import-files.ts';
import { readToken } from '../shared/http-server.ts';
import { UsageError, type OptionLists, type OptionValues } from '../shared/options.ts';
import { openWorld } from '../shared/parts.ts';
import { builtIn } from '../shared/paths.ts';
import { messageOf } from '../../base/errors.ts';

type Search = (query: string, k: number) => Promise<readonly Hit[]>;

/** @throws UsageError for a missing folder or file, and for options that exclude each other */
async function openSearch(values: OptionValues, lists: OptionLists): Promise<Search> {
  const text = (name: string): string | undefined => values[name] as string | undefined;
  const files = lists['corpus'];
  if (!files) {
    const given = ['method', 'encoder'].find((name) => text(name) !== undefined);
    if (given !== undefined) throw new UsageError(`--${given} needs --corpus FILE.`);
    const { retriever } = await openWorld(text('world'));
    const source = (text('source') ?? 'both') as SearchTarget;
    return async (query, k) => (await retriever.search(source, query, k)).hits;
  }
  const given = ['world', 'source'].find((name) => text(name) !== undefined);
  if (given !== undefined) throw new UsageError(`--${given} and --corpus exclude each other.`);
  const corpus = await openCorpus(
    await readCorpus(files, say),
    text('method') ?? 'lexical',
    text('encoder') ?? builtIn('encoder'),
    sayProgress,
  );
  return async (query, k) => (await corpus.search(query, k)).hits;
}

export const serveRetrievalCommand: Command = {
  name: 'serve-retrieval',
  summary: 'serves searches over HTTP in the protocol of Search-R1’s retrieval server',
  options: {
    corpus: {
      type: 'string',
      value: 'FILE',
      help: 'passages to search; may be repeated',
      multiple: true,
    },
    method: {
      type: 'string',
      help: 'how --corpus is searched (default: lexical)',
      choices: METHOD_IDS,
    },
    encoder: {
      type: 'string',
      value: 'DIR',
      help: 'ONNX encoder of --method (default: the built-in one)',
    },
    world: {
      type: 'string',
      value: 'DIR',
      help: 'world to search without --corpus (default: the built-in one)',
    },
    source: {
      type: 'string',
      help: 'which part of the world (default: both)',
      choices: ['local', 'web', 'both'],
    },
    host: {
      type: 'string',
      value: 'ADDRESS',
      help: 'where to listen; 0.0.0.0 for every network, with --token',
      default: '127.0.0.1',
    },
    token: {
      type: 'string',
      value: 'TEXT',
      help: 'token that every call must send; required for every --host except this machine (default: FORAGE_TOKEN)',
    },
    port: { type: 'integer', value: 'N', help: 'port', default: 8000, min: 0, max: 65535 },
    origin: {
      type: 'string',
      value: 'URL',
      help: 'allowed origin of web pages, besides those of this machine, e.g. https://me.github.io; may be repeated',
      multiple: true,
    },
  },
  async run(values, _positionals, lists) {
    const origins = (lists['origin'] ?? []).map((origin) => {
      if (!/^https?:/.test(origin) || !URL.canParse(origin))
        throw new UsageError(`--origin is '${origin}'; it must be like https://me.github.io.`);
      return new URL(origin).origin;
    });
    const [host, port] = [String(values.host), Number(values.port)];
    const token = readToken(host, values['token'] as string | undefined);
    const search = await openSearch(values, lists);
    endProgress();
    const server = await serveRetrieval({ search, host, port, token, origins }).catch(
      (error: unknown) => {
        throw new UsageError(`Cannot listen on ${host}:${port}: ${messageOf(error)}.`);
      },
    );
    print(`Passages are at ${server.url}  (Ctrl-C stops it)`);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    await server.close(0);
  },
};
