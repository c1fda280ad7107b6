/**
 * Plain English: idioms that no engineer uses stay out of the code's comments and strings, the documents and the README.
 * `ALLOWED` holds the rare line where one is right. Long sentences of the documents are listed, not refused.
 *
 * npm run words              the whole repository
 * npm run words -- src/agent one folder or file
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { ALLOWED } from './allowed-words.ts';

const MAX_WORDS_PER_SENTENCE = 35;

/** Each idiom with what to write instead. */
const IDIOMS: readonly (readonly [RegExp, string])[] = [
  [/\btold (?:from|apart)\b/i, 'distinguishable from'],
  [
    /\b(?:is|are|was|were|be) told\b|\btells? (?:whom|whoever)\b/i,
    'receives, is notified, reports',
  ],
  [
    /\b(?:gone|going|go|goes|went) on with\b|\b(?:begun|begins?|began|made) anew\b/i,
    'resumed, continued, restarted',
  ],
  [/\bgoes on\b/i, 'continues'],
  [/\bbut for\b/i, 'except'],
  [/\banew\b/i, 'again'],
  [/\bof (?:one['’]s|your|his|her|whose) own\b/i, 'your own, custom, its own …'],
  [/\bwhoever\b|\bwhosoever\b/i, 'the caller, the user'],
  [/\bunless (?:given|told)\b/i, 'default: …'],
  [/\bso many\b/i, 'a number of, N'],
  [/\bin words\b/i, 'as text'],
  [/\bat hand\b/i, 'available, current'],
  [/\bwhat came back\b/i, 'the result, imported run'],
  [/\bfrom nothing\b/i, 'from scratch'],
  [/\bbehind (?:it|them|the|a|an|each|this|that|every)\b/i, 'after'],
  [/(?<!there )\b(?:is|are|was|were) no [a-z]+(?: of| at|,|\.|:|;)/i, 'is not a …'],
  [/\bno [a-z]+ of (?:anyone|nobody)/i, 'not a …'],
  [/\b(?:a|the|this|each|one) press\b/i, 'click'],
  [/\bwhat (?:will )?stands?\b/i, 'what is shown'],
  [
    /\b(?:stands?|stood) (?:in|here|there|beside|above|below|at|under|where|as|on)\b/i,
    'is, is shown',
  ],
  [/\bas (?:the|a|its) \w+ has (?:it|them)\b/i, 'as in the …'],
  [/\bthat are none\b|\bwhat is none\b/i, 'NaN, not a …'],
  [/\b(?:what|that) (?:one|it) is (?:given|made of|told)\b/i, 'inputs'],
  [
    /\b(?:tokens?|rollouts?|questions?|passages?|words?|searches|seconds?|ms|steps?) a (?:question|rollout|step|search|passage|second|token|layer|group|batch|update)\b/i,
    'per …',
  ],
  [/\bdepartures?\b/i, 'differences from the paper'],
  [/\bmade with from\b|\bmakes? its start\b|\bits start is\b/i, 'warm start'],
  [/\bkey store|\bstores? of keys\b/i, 'KV cache'],
  [/\bshared reading\b/i, 'prefix caching'],
  [/\bthe (?:first|second) form\b/i, 'version'],
  [/\bnot shown\b(?= (?:in|by|at) )/i, 'inconclusive'],
];

const read = (path: string): string => readFileSync(path, 'utf8');

const filesOf = (path: string): string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => !name.startsWith('.') && name !== 'node_modules')
        .flatMap((name) => filesOf(`${path}/${name}`))
    : [path];

const CHECKED = /\.(?:tsx?|mjs|css|c|md|html)$/;

export interface Hit {
  line: number;
  text: string;
  instead: string;
}

/** Lines of `text` with an idiom that `allowed` does not hold. */
export function idiomsIn(text: string, allowed: readonly string[] = ALLOWED): Hit[] {
  return text.split('\n').flatMap((line, index) => {
    if (allowed.some((part) => line.includes(part))) return [];
    const found = IDIOMS.find(([idiom]) => idiom.test(line));
    return found === undefined ? [] : [{ line: index + 1, text: line.trim(), instead: found[1] }];
  });
}

/** Sentences of a Markdown text with more than 35 words; tables, code and headings are left out. */
export function longSentences(markdown: string): string[] {
  const prose = markdown
    .replaceAll(/```[\s\S]*?```/g, '')
    .split(/\n\s*\n/)
    .filter((paragraph) => !/^\s*(?:[|#]|\d+\. |- )/.test(paragraph));
  return prose
    .flatMap((paragraph) => paragraph.replaceAll('\n', ' ').split(/(?<=[.!?])\s+(?=[A-Z`_*[])/))
    .filter((sentence) => sentence.split(/\s+/).length > MAX_WORDS_PER_SENTENCE);
}

function main(): void {
  const given = process.argv.slice(2);
  const roots =
    given.length > 0 ? given : ['README.md', 'CONTRIBUTING.md', 'docs', 'src', 'workers'];
  const files = roots
    .flatMap((root) => filesOf(resolve(root)))
    .filter((path) => CHECKED.test(path));
  let hits = 0;
  let long = 0;
  for (const path of files) {
    const text = read(path);
    const name = relative(process.cwd(), path);
    for (const hit of idiomsIn(text)) {
      hits++;
      console.error(`${name}:${hit.line}: ${hit.text}\n    write: ${hit.instead}`);
    }
    if (name.endsWith('.md'))
      for (const sentence of longSentences(text)) {
        long++;
        console.log(
          `${name}: a sentence of ${sentence.split(/\s+/).length} words: ${sentence.slice(0, 80)} …`,
        );
      }
  }
  console.log(`words: ${files.length} files, ${hits} idioms, ${long} long sentences`);
  process.exitCode = hits === 0 ? 0 : 1;
}

if (process.argv[1]?.endsWith('check-words.ts')) main();
