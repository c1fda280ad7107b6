import { z } from 'zod';
import type { Engine, EngineCall, EngineKind } from './engine.ts';
import { checked } from '../http/http.ts';
import { passageOf, textKey, type Found } from './passages.ts';
import { htmlToText, wellFormed } from './plain-text.ts';

/*
 * SearXNG's search API (https://docs.searxng.org/dev/search_api.html): `GET /search?q=…&format=json`.
 * An instance answers 403 unless its settings.yml lists `json` under `search.formats`. There is no
 * parameter for the number of results: one page is asked for and cut.
 */

const answerSchema = z.object({
  results: z
    .array(
      z.object({
        url: z.string().nullish(),
        title: z.string().nullish(),
        content: z.string().nullish(),
        score: z.number().nullish(),
      }),
    )
    .max(1000),
});

const MAX_QUERY = 1000;

class SearXng implements Engine {
  readonly id: string;
  readonly address: string;

  /** @param instance its address, with or without `/search` */
  constructor(instance: string) {
    const url = new URL(instance);
    url.pathname = `${url.pathname.replace(/\/(?:search)?\/*$/u, '')}/search`;
    url.search = '';
    url.hash = '';
    this.address = url.href;
    this.id = `searxng:${this.address}`;
  }

  async search({ query, k, http, meter, signal }: EngineCall): Promise<Found[]> {
    const url = new URL(this.address);
    url.searchParams.set('q', wellFormed(query.slice(0, MAX_QUERY)));
    url.searchParams.set('format', 'json');
    const read = (value: unknown) => checked(answerSchema, value, 'SearXNG');
    const { results } = await http.json({ url: url.href }, read, meter, signal);
    return results
      .flatMap(({ url: address, title, content, score }): Found[] => {
        const text = htmlToText(content ?? '');
        const passage = passageOf({
          id: `searxng/${textKey(address ?? `${title}\n${text}`)}`,
          title: htmlToText(title ?? ''),
          text,
          url: address ?? undefined,
        });
        return passage ? [{ passage, score: score ?? null }] : [];
      })
      .slice(0, k);
  }
}

export const searXng: EngineKind = {
  id: 'searxng',
  name: 'SearXNG',
  about: 'A metasearch instance that lists json under search.formats in its settings.',
  example: 'localhost:8080',
  path: ({ pathname }) => pathname.replace(/\/(?:search)?\/*$/u, '') || '/',
  addressAdvice: 'The address is that of the instance; /search is asked below it.',
  corsAdvice:
    'Let the proxy before SearXNG send Access-Control-Allow-Origin for this page, or serve Forage from the same host.',
  forbidden: {
    said: 'The instance refuses JSON',
    advice: 'Add json to search.formats in its settings.yml. Many public instances leave it out.',
  },
  open: (url) => new SearXng(url),
};
