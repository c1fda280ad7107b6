import { z } from 'zod';
import type { Engine, EngineCall, EngineKind } from './engine.ts';
import { checked } from '../http/http.ts';
import { wellFormed } from './plain-text.ts';
import { passageOf, textKey, type Found } from './passages.ts';

/*
 * R1-Searcher's retrieval server (RUCAIBox/R1-Searcher, train/wiki_corpus_load.py): POST
 * `{queries: [text], k}` → `{queries, answers: [[line]]}`. A line is one of its corpus file: a number,
 * a tab and `Title: … Text: …`, in quotes with doubled quotes inside where the file was written as
 * CSV. The number is the corpus id; callers strip it. UR²'s servers speak the same (`/queries`) and
 * answer with one text that is already a summary.
 */

const answerSchema = z.object({
  answers: z.array(z.array(z.string()).max(1000)).max(1000),
});

const LINE = /^(?:(\d+)\s+)?([\s\S]*)$/u;
const TITLED = /^Title:\s*([\s\S]{0,300}?)\s+Text:\s+([\s\S]*)$/u;

const unquoted = (text: string): string =>
  /^".*"$/su.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text;

function readLine(line: string): { id: string; title: string; text: string } {
  const [, number, rest = ''] = LINE.exec(line.trim()) ?? [];
  const whole = unquoted(rest.trim());
  const [, title = '', text = whole] = TITLED.exec(whole) ?? [];
  return { id: `r1-searcher/${number ?? textKey(whole)}`, title, text };
}

class R1Searcher implements Engine {
  readonly id: string;

  constructor(readonly address: string) {
    this.id = `r1-searcher:${address}`;
  }

  async search({ query, k, http, meter, signal }: EngineCall): Promise<Found[]> {
    const body = { queries: [wellFormed(query)], k };
    const read = (value: unknown) => checked(answerSchema, value, 'R1-Searcher’s /queries');
    const { answers } = await http.json({ url: this.address, body }, read, meter, signal);
    return (answers[0] ?? [])
      .flatMap((line): Found[] => {
        const passage = passageOf(readLine(line));
        return passage ? [{ passage, score: null }] : [];
      })
      .slice(0, k);
  }
}

export const r1Searcher: EngineKind = {
  id: 'r1-searcher',
  name: 'R1-Searcher server',
  about: 'R1-Searcher’s wiki_corpus_load.py, or UR²’s server.',
  example: 'localhost:5004/queries',
  path: '/queries',
  addressAdvice: 'The address ends in /queries.',
  corsAdvice:
    'Add flask-cors to wiki_corpus_load.py (CORS(app)) and start it again: the call is JSON, so the browser asks for leave first.',
  open: (url) => new R1Searcher(url),
};
