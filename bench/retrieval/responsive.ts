/**
 * Indexing many passages: time, memory by the source's own account, and the longest stretch in which
 * the event loop had no turn. Vectors are random around topics, as in bench/cluster.
 *
 *   npx tsx bench/retrieval/responsive.ts [passages, 100000 by default] [dimensions, 96] [one method]
 */
import { clusteredVectors } from '../cluster/vectors.ts';
import type { Passage } from '../../src/records/records.ts';
import { randomNumbers } from '../../src/base/random.ts';
import { openLocalSource } from '../../src/retrieval/open-local.ts';

const [count = '100000', size = '96', only] = process.argv.slice(2);
const [n, dimensions] = [Number(count), Number(size)];
const random = randomNumbers(3);
/** Words whose frequency falls with their rank, as in a language. */
const word = (): string => `w${Math.floor(60_000 * random() ** 4).toString(36)}`;
const passages = Array.from({ length: n }, (_, i): Passage => {
  const sentences = Array.from({ length: 4 }, () => Array.from({ length: 20 }, word).join(' '));
  return { id: `p${i}`, title: `${word()} ${word()}`, text: sentences.join(' '), sentences };
});
const { vectors } = clusteredVectors(n, dimensions, 1, 1);
const encoder = {
  id: 'random',
  dimensions,
  encodeQuery: () => Promise.resolve(vectors.values.slice(0, dimensions)),
  encodePassages: () => Promise.resolve(vectors),
};

const METHODS = ['lexical', 'flat', 'cluster'] as const;
for (const method of METHODS.filter((one) => only === undefined || one === only)) {
  let [last, longest, stage, at] = [performance.now(), 0, '', ''];
  const timer = setInterval(() => {
    const now = performance.now();
    if (now - last > longest) [longest, at] = [now - last, stage];
    last = now;
  }, 5);
  const start = performance.now();
  const { memory } = await openLocalSource(
    passages,
    { method },
    { encoder, vectors },
    { onProgress: (now, done) => (stage = `${now} ${done}`) },
  );
  const seconds = (performance.now() - start) / 1000;
  clearInterval(timer);
  const mb = Object.entries(memory).map(
    ([name, bytes]) => `${name} ${(bytes / 1e6).toFixed(0)} MB`,
  );
  console.log(
    `${method}: ${n} passages in ${seconds.toFixed(1)} s, longest stretch ${longest.toFixed(0)} ms (${at}); ${mb.join(', ')}; heap ${(process.memoryUsage().heapUsed / 1e6).toFixed(0)} MB`,
  );
}
