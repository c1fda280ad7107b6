import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type { TestCase, TestModule } from 'vitest/node';
import type { Reporter } from 'vitest/reporters';

interface Failure {
  message?: string;
  stacks?: readonly { file: string; line: number }[];
}

const nameOf = (test: TestCase): string => `${test.module.relativeModuleId} > ${test.fullName}`;

/**
 * Writes what failed, and what passed only when it ran again, a line each: the test command repeats
 * them at its end, where they are found however much was printed before.
 */
export class FailuresReporter implements Reporter {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly Failure[]): void {
    const lines: string[] = [];
    const say = (what: string, errors: readonly Failure[]): void => {
      const [reason = ''] = (errors[0]?.message ?? '').split('\n');
      const place = errors[0]?.stacks?.[0];
      const at = place ? ` (${relative('.', place.file)}:${place.line})` : '';
      lines.push(`${what}: ${reason}${at}`);
    };
    for (const module of modules) {
      if (module.errors().length > 0) say(`failed ${module.relativeModuleId}`, module.errors());
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'failed') say(`failed ${nameOf(test)}`, result.errors);
        else if (test.diagnostic()?.flaky)
          say(`passed when it ran again ${nameOf(test)}`, result.errors ?? []);
      }
    }
    for (const error of errors) say('failed outside of tests', [error]);
    mkdirSync(dirname(this.#path), { recursive: true });
    writeFileSync(this.#path, lines.map((line) => `${line}\n`).join(''));
  }
}
