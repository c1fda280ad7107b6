import { readFile } from 'node:fs/promises';
import { coverageOf } from '../../../src/agent/router/coverage.ts';
import { createRouter, type Router } from '../../../src/agent/router/router.ts';
import { openWorldRetriever } from '../../../src/retrieval/open.ts';
import type { Retriever } from '../../../src/retrieval/retriever.ts';
import { loadWorld } from '../../../src/retrieval/world/load.ts';
import type { WorldQuestion } from '../../../src/retrieval/world/manifest.ts';

const folder = new URL('../../../public/world/', import.meta.url);
const fetchFile = (name: string): Promise<Uint8Array> => readFile(new URL(name, folder));

export interface TestWorld {
  retriever: Retriever;
  router: Router;
  questions: WorldQuestion[];
}

let opened: Promise<TestWorld> | null = null;

/** The shipped world without its encoder, opened once. */
export const testWorld = (): Promise<TestWorld> =>
  (opened ??= loadWorld(fetchFile).then((world) => ({
    retriever: openWorldRetriever(world, fetchFile),
    router: createRouter({ localCoverage: coverageOf(world.local) }),
    questions: world.questions,
  })));
