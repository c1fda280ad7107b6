/**
 * Runs tests against mutants, in a process of its own: `scripts/mutate.ts` starts it, sends one request
 * after another, and ends it together with its workers where a mutant hangs.
 *
 * No file is changed: the sources, as they were at the start, go through a plugin that puts the fault in.
 */
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import {
  BaseSequencer,
  createVitest,
  type TestModule,
  type TestSpecification,
  type Vitest,
} from 'vitest/node';
import { instrument } from './instrument.ts';
import { withMutant, type Mutant } from './mutants.ts';

/** Test files to run in this order; without a mutant they run to the end and say what they cover. */
export interface Request {
  readonly tests: readonly string[];
  readonly mutant?: Mutant;
  /** Milliseconds that one file may take before its loops are ended. */
  readonly longest: number;
}

export interface TestCoverage {
  readonly test: string;
  readonly ms: number;
  /** Regions that ran, per source file. */
  readonly ran: Readonly<Record<string, number[]>>;
}

export interface Response {
  /** What failed: the file, the test, and what it said. With a mutant it is one at most. */
  readonly failures: readonly string[];
  readonly covered: readonly TestCoverage[];
}

const root = process.cwd();
const sources = new Map<string, string>();
let mutant: Mutant | undefined;
let counts = false;

function sourceOf(file: string): string {
  const known = sources.get(file) ?? readFileSync(resolve(root, file), 'utf8');
  sources.set(file, known);
  return known;
}

const plugin = {
  name: 'mutate',
  enforce: 'pre' as const,
  transform(_: string, id: string) {
    const file = relative(root, id.split('?')[0] ?? id);
    if (!/^src\/.*\.tsx?$/.test(file) || file.endsWith('.wasm.ts')) return;
    const source = sourceOf(file);
    const faulty = mutant?.file === file ? withMutant(source, mutant) : source;
    return { code: instrument(file, faulty, counts).code, map: null };
  },
};

let wanted: readonly string[] = [];
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const at = ({ moduleId }: TestSpecification): number =>
      wanted.indexOf(relative(root, moduleId));
    return files.toSorted((a, b) => at(a) - at(b));
  }
}

/** What ended in the run under way: vitest's own list keeps those of the runs before. */
let ended: TestModule[] = [];
const listener = { onTestModuleEnd: (module: TestModule) => void ended.push(module) };

const start = (): Promise<Vitest> =>
  createVitest(
    'test',
    {
      config: false,
      root,
      watch: false,
      reporters: [listener],
      include: ['test/**/*.test.{ts,tsx}'],
      setupFiles: ['test/setup.ts', 'scripts/mutate/setup.ts'],
      maxWorkers: 1,
      // What a file covers is only known where it shares nothing.
      isolate: counts,
      bail: counts ? 0 : 1,
      testTimeout: counts ? 120_000 : 30_000,
      sequence: { sequencer: InOrder },
      onConsoleLog: () => false,
    },
    { plugins: [plugin], logLevel: 'silent' },
  );

let vitest: Vitest | undefined;

async function run(request: Request): Promise<Response> {
  const before = mutant;
  mutant = request.mutant;
  wanted = request.tests;
  if (vitest === undefined || counts === (mutant !== undefined)) {
    await vitest?.close();
    counts = mutant === undefined;
    vitest = await start();
  }
  for (const each of [before, mutant])
    if (each) {
      vitest.invalidateFile(resolve(root, each.file));
    }
  const [project] = vitest.projects;
  if (!project) throw new Error('vitest made no project');
  project.provide('longest', request.longest);
  const specifications = request.tests.map((test) =>
    project.createSpecification(resolve(root, test)),
  );
  ended = [];
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications);

  const failures: string[] = [];
  const failing = new Set<string>();
  for (const each of ended) {
    const file = relative(root, each.moduleId);
    if (each.state() === 'failed') failing.add(file);
    for (const { message } of each.errors()) failures.push(`${file}: ${message}`);
    for (const test of each.children.allTests('failed'))
      failures.push(`${file}: ${test.fullName}: ${test.result().errors?.[0]?.message ?? ''}`);
    if (failing.has(file) && failures.length === 0) failures.push(`${file}: a hook failed`);
  }
  for (const error of unhandledErrors)
    failures.push(`not handled: ${error instanceof Error ? error.message : JSON.stringify(error)}`);
  return {
    failures,
    covered: counts
      ? ended
          .filter((each) => !failing.has(relative(root, each.moduleId)))
          .map((each) => ({
            test: relative(root, each.moduleId),
            ms: each.diagnostic().duration + each.diagnostic().collectDuration,
            ran: (each.meta() as { ran?: Record<string, number[]> }).ran ?? {},
          }))
      : [],
  };
}

process.on('message', (request: Request) => {
  run(request).then(
    (response) => process.send?.(response),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));
