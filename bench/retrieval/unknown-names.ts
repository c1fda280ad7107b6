import { readFile } from 'node:fs/promises';
import { unknownNames } from '../../src/agent/answers/look-up-names.ts';
import { mentionsIn } from '../../src/retrieval/lexical/mentions.ts';
import { WebIndex } from '../../src/retrieval/web/client.ts';
import { WebSource } from '../../src/retrieval/open.ts';
import { loadWorld } from '../../src/retrieval/world/load.ts';

/**
 * How many questions get the notice about names that no passage of the built-in encyclopedia mentions: of its own
 * questions none should, of questions about the real world nearly all.
 *
 *     npx tsx bench/retrieval/unknown-names.ts QUESTIONS.jsonl [COUNT]
 *
 * QUESTIONS.jsonl holds one object per line with the field `question`; COUNT (200) of them are asked.
 */

const [file, count = '200'] = process.argv.slice(2);
if (file === undefined) throw new Error('Name a file of questions about the real world.');
const folder = new URL('../../public/world/', import.meta.url);
const fetchFile = (name: string): Promise<Uint8Array> => readFile(new URL(name, folder));
const world = await loadWorld(fetchFile);
const sources = [mentionsIn(world.local), new WebSource(() => WebIndex.open(fetchFile)).mentions];

const noticed = async (what: string, questions: readonly string[]): Promise<void> => {
  let named = 0;
  for (const question of questions) if ((await unknownNames(question, sources)).length > 0) named++;
  const share = (100 * named) / questions.length;
  console.log(`${what}: ${named} of ${questions.length} (${share.toFixed(1)} %)`);
};
const lower = (questions: readonly string[]): string[] =>
  questions.map((question) => question.toLowerCase());

const lines = (await readFile(file, 'utf8')).trim().split('\n').slice(0, Number(count));
const real = lines.map((line) => (JSON.parse(line) as { question: string }).question);
const own = world.questions.map(({ text }) => text);
await noticed('real questions', real);
await noticed('real questions without capitals', lower(real));
await noticed('built-in questions', own);
await noticed('built-in questions without capitals', lower(own));
