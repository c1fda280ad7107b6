import {
  readChain,
  readerSees,
  corrects,
  type Chain,
  type ChainNode,
} from '../../recipes/methods/verification.ts';
import type { Verification } from '../../recipes/methods/verification.ts';
import type { Hit } from '../../records/hits.ts';
import type { Aside } from '../transcript/aside.ts';
import type { Steps } from './parts/steps.ts';

const DEFAULTS: Verification = { threshold: -0.5, rounds: 5 };

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
  verification: Verification,
): Promise<string | null> {
  for (const { query, answer } of nodes) {
    if (seen.has(query)) continue;
    if (!s.canSearch()) return null;
    const top = readerSees(await s.find(query), verification);
    seen.set(query, top);
    const reader = readerOf(await s.read(query, top));
    const says = `According to the passage, the answer to "${query}" is ${reader.answer}`;
    if (answer === null && reader.answer !== '') return `${says}.`;
    if (answer !== null && corrects(reader, answer, verification)) return `${says}, not ${answer}.`;
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
async function wholeChain(s: Steps, verification: Verification): Promise<void> {
  const seen = new Map<string, Hit[]>();
  const said: string[] = [];
  let chain: Chain = { nodes: [], final: null };
  for (let round = 0; round <= verification.rounds; round++) {
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
    const correction = await feedback(s, chain, seen, verification);
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
async function stepByStep(s: Steps, verification: Verification): Promise<void> {
  await s.open();
  let corrections = 0;
  for (;;) {
    const wrote = await s.write('action');
    const asked = wrote.query;
    if (wrote.ended === 'action' && (await wrote.act())) return;
    if (asked === null || corrections >= verification.rounds) continue;
    const next = await s.write('thought');
    if (next.thought !== null) {
      const reader = readerOf(await s.read(asked, readerSees(s.found(), verification)));
      if (corrects(reader, next.thought, verification)) {
        corrections += 1;
        s.hint(`${asked} is ${reader.answer} .`);
      }
    }
    if (next.ended === 'action' && (await next.act())) return;
  }
}

/** SearChain (arXiv 2304.14732). */
export const chainVerify = (s: Steps): Promise<void> => {
  const verification = s.method.verify ?? DEFAULTS;
  return s.spelling === 'ids' ? stepByStep(s, verification) : wholeChain(s, verification);
};
