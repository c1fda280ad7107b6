import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TestCoverage } from './host.ts';
import { instrument, regionAt } from './instrument.ts';
import type { Mutant } from './mutants.ts';

interface Entry extends TestCoverage {
  /** Of the test and of the sources that it ran; with other ones it is measured again. */
  readonly hashes: Readonly<Record<string, string>>;
}

const PLACE = '.cache/mutate/coverage.json';

const hashOf = (file: string): string =>
  existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : '';

/** Which regions of the sources each test file runs, kept between calls. */
export class Coverage {
  readonly #place: string;
  #entries: Record<string, Entry> = {};

  /** @param place where it is kept */
  constructor(place = PLACE) {
    this.#place = place;
    if (existsSync(place))
      this.#entries = JSON.parse(readFileSync(place, 'utf8')) as Record<string, Entry>;
  }

  /** Of these tests, those that have changed since, or whose sources have. */
  stale(tests: readonly string[]): string[] {
    return tests.filter((test) => {
      const hashes = Object.entries(this.#entries[test]?.hashes ?? { [test]: 'unknown' });
      return hashes.some(([file, hash]) => hashOf(file) !== hash);
    });
  }

  add(covered: readonly TestCoverage[]): void {
    for (const each of covered) {
      const files = [each.test, ...Object.keys(each.ran)];
      const hashes = Object.fromEntries(files.map((file) => [file, hashOf(file)]));
      this.#entries[each.test] = { ...each, hashes };
    }
    mkdirSync(dirname(this.#place), { recursive: true });
    writeFileSync(this.#place, JSON.stringify(this.#entries));
  }

  msOf(test: string): number {
    return this.#entries[test]?.ms ?? 0;
  }

  /**
   * The tests that run the mutated place, those of the same folders first, then the quick ones: the
   * first of them, and each further one that what is left of `budgetMs` has room for.
   */
  testsFor(mutant: Mutant, source: string, tests: readonly string[], budgetMs: number): string[] {
    const region = regionAt(instrument(mutant.file, source, true).regions, mutant.start);
    const running = tests.filter((test) => this.#entries[test]?.ran[mutant.file]?.includes(region));
    running.sort(
      (a, b) => nearness(b, mutant.file) - nearness(a, mutant.file) || this.msOf(a) - this.msOf(b),
    );
    let spent = 0;
    return running.filter((test, i) => {
      const ms = this.msOf(test);
      if (i > 0 && spent + ms > budgetMs) return false;
      spent += ms;
      return true;
    });
  }
}

/** How many steps of the way, from the top, a test and a source share. */
function nearness(test: string, source: string): number {
  const [a, b] = [test, source].map((path) =>
    path
      .replace(/^(test|src)\//, '')
      .replace(/(\.test)?\.tsx?$/, '')
      .split('/'),
  ) as [string[], string[]];
  const apart = a.findIndex((step, i) => step !== b[i]);
  return apart === -1 ? a.length : apart;
}
