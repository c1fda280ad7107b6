import { readFileSync, writeFileSync } from 'node:fs';
import { ScriptedPolicy } from '/work/main/test/agent/scripted-policy.ts';
import { runRollout } from '/work/main/src/agent/run.ts';
import { getRecipe } from '/work/main/src/recipes/index.ts';
import { createRouter } from '/work/main/src/agent/router/router.ts';
import { loadWorld } from '/work/main/src/retrieval/world/load.ts';
import { openWorldRetriever } from '/work/main/src/retrieval/open.ts';
const f = async (n: string) => new Uint8Array(readFileSync('/work/main/public/world/' + n));
const world = await loadWorld(f);
const retriever = openWorldRetriever({ ...world, vectors: null }, f, { encoder: null });
const question = world.questions.find((q) => q.id === 'train-1')!;
const updates: unknown[] = [];
const think = (t: string, q: string) => `<think> ${t}</think><search> ${q}</search>`;
for (let i = 0; i < 4; i++) {
  const policy = new ScriptedPolicy({
    thought: '<think> plan : author , employer , founding year .</think>',
    main: [
      think('plan : author , employer , founding year .', 'author of Old Wolf'),
      think('author is Victor Kerlund . next employer .', i === 1 ? 'author of Old Wolf' : 'employer of Victor Kerlund'),
      think('employer is Estdor Group . next founding year .', 'founding year of Estdor Group'),
      `<think> founding year is ${i === 2 ? 2001 : 2008} . done .</think><short_answer> \\boxed{ ${i === 2 ? '2001' : '2008'} }</short_answer>`,
    ],
    probes: [1, 2, 3, 4, 5].map((r) => [{ text: ` ${r > 2 ? '2008' : 'Victor Kerlund'} }`, logprob: -0.4 }, { text: ' Borfield }', logprob: -1.4 }, { text: ' 1931 }', logprob: -2.4 }, { text: ' Victor }', logprob: -1.9 }]),
  });
  await runRollout({ policy, retriever, router: createRouter(), now: Date.now }, { question, recipe: getRecipe('kunlun-baize'), seed: 7 + i, rolloutId: 'r' + i, runId: 'run', groupId: 'g', step: 0 }, (u) => updates.push(u));
}
writeFileSync('/work/main/test/ui/harness/data.json', JSON.stringify({ question, updates, rows: world.questions.slice(0, 400).map((q) => ({ id: q.id, text: q.text, split: q.split, hops: q.hops, type: q.type, localSuffices: q.localSuffices })) }));
