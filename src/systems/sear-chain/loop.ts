import type { LoopHooks } from '../../agent/hooks.ts';
import type { Steps } from '../../agent/steps.ts';
import type { Aside } from '../../agent/transcript/aside.ts';
import type { Hit } from '../../records/hits.ts';
import type { Params } from './system.ts';

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s]/gu, ' ')
    .replaceAll(/\b(?:a|an|the)\b/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();

/** The passage of a result that the reader sees, in a list; an empty one of none. */
export const readerSees = <T>(hits: readonly T[], { passage }: Pick<Params, 'passage'>): T[] =>
  passage === 'last' ? hits.slice(-1) : hits.slice(0, 1);

/** Whether the reader's answer overrules the policy's: it is sure, and its words are not inside the policy's. */
export function corrects(
  reader: { answer: string; score: number },
  said: string,
  { threshold }: Pick<Params, 'threshold'>,
): boolean {
  const answer = plain(reader.answer);
  if (answer === '' || reader.score <= threshold) return false;
  return !` ${plain(said)} `.includes(` ${answer} `);
}

/** One node of a chain; `answer` is null where the policy left it unsolved. */
export interface ChainNode {
  query: string;
  answer: string | null;
}

export interface Chain {
  nodes: ChainNode[];
  /** What is behind `[Final Content]`; null without one. */
  final: string | null;
}

const MARK = /\[\s*(Query|Answer|Unsolved Query|Final Content)\s*\d*\s*\]\s*:?/giu;

/** SearChain's own format; text in front of the first mark is none of the chain. */
export function readChain(text: string): Chain {
  const marks = [...text.matchAll(MARK)];
  const nodes: ChainNode[] = [];
  let final: string | null = null;
  marks.forEach((mark, i) => {
    const inner = text.slice(mark.index + mark[0].length, marks[i + 1]?.index).trim();
    const name = (mark[1] ?? '').toLowerCase();
    const last = nodes.at(-1);
    if (name === 'final content') final = inner;
    else if (name === 'answer') {
      if (last && last.answer === null) last.answer = inner;
    } else nodes.push({ query: inner, answer: null });
  });
  return { nodes: nodes.filter(({ query }) => query !== ''), final };
}

const CHAIN = [
  'Answer the question by a chain of queries. Each query asks for one fact. Where you know it, answer it; where you do not, leave it unsolved. Write:',
  '[Query 1]: a question that asks for one fact',
  '[Answer 1]: its answer',
  '[Query 2]: …',
  '[Answer 2]: …',
  'and for one that you cannot answer [Unsolved Query]: … in place of both. At the end write [Final Content]: and the answer to the question.',
].join('\n');

/** A reader without probabilities counts wherever it says something. */
const readerOf = ({ text, meanLogprob }: Aside): { answer: string; score: number } => ({
  answer: /^unknown\b/iu.test(text) ? '' : text,
  score: meanLogprob ?? 0,
});

/** What the reader says to the first node that it corrects or solves; null where all hold. */
async function feedback(
  s: Steps,
  { nodes }: Chain,
  seen: Map<string, Hit[]>,
  params: Params,
): Promise<string | null> {
  for (const { query, answer } of nodes) {
    if (seen.has(query)) continue;
    if (!s.canSearch()) return null;
    const top = readerSees(await s.find(query), params);
    seen.set(query, top);
    const reader = readerOf(await s.read(query, top));
    const says = `According to the passage, the answer to "${query}" is ${reader.answer}`;
    if (answer === null && reader.answer !== '') return `${says}.`;
    if (answer !== null && corrects(reader, answer, params)) return `${says}, not ${answer}.`;
  }
  return null;
}

const written = (nodes: readonly ChainNode[]): string =>
  nodes
    .map(({ query, answer }, i) =>
      answer === null
        ? `[Unsolved Query]: ${query}`
        : `[Query ${i + 1}]: ${query}\n[Answer ${i + 1}]: ${answer}`,
    )
    .join('\n');

/** The whole chain at once, verified node by node; after a correction it is written again. */
async function wholeChain(s: Steps, params: Params): Promise<void> {
  const seen = new Map<string, Hit[]>();
  const said: string[] = [];
  let chain: Chain = { nodes: [], final: null };
  for (let round = 0; round <= params.rounds; round++) {
    const user = [
      `Question: ${s.question}`,
      ...(said.length > 0
        ? [
            `Chain so far:\n${written(chain.nodes)}`,
            said.join('\n'),
            'Write the whole chain again.',
          ]
        : []),
    ].join('\n\n');
    const { text } = await s.ask({ of: 'chain', instruction: CHAIN, user, maxTokens: 512 });
    chain = readChain(text);
    const correction = await feedback(s, chain, seen, params);
    if (correction === null) break;
    said.push(correction);
  }
  await s.open();
  s.show([...seen.values()].flat());
  const notes = [written(chain.nodes), chain.final === null ? '' : `Answer so far: ${chain.final}`];
  s.hint(notes.filter(Boolean).join('\n'));
  await s.answer();
}

/** For a policy that knows no chains: its own searches are the nodes, the thought after a result its answer. */
async function stepByStep(s: Steps, params: Params): Promise<void> {
  await s.open();
  let corrections = 0;
  for (;;) {
    const wrote = await s.write('action');
    const asked = wrote.query;
    if (wrote.ended === 'action' && (await wrote.act())) return;
    if (asked === null || corrections >= params.rounds) continue;
    const next = await s.write('thought');
    if (next.thought !== null) {
      const reader = readerOf(await s.read(asked, readerSees(s.found(), params)));
      if (corrects(reader, next.thought, params)) {
        corrections += 1;
        s.hint(`${asked} is ${reader.answer} .`);
      }
    }
    if (next.ended === 'action' && (await next.act())) return;
  }
}

export const hooks = (params: Params): LoopHooks => ({
  program: (s) => (s.spelling === 'ids' ? stepByStep(s, params) : wholeChain(s, params)),
});
