import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, longest first: begun last, one would run on while the other core idles. */
const LONGEST = [
  'test/cli/train.test.ts',
  'test/cli/warm-up.test.ts',
  'test/cli/lab.test.ts',
  'test/data/import/broken-files.test.ts',
  'test/runs/checkpoints/host.test.ts',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const at = LONGEST.findIndex((file) => moduleId.endsWith(file));
  return at === -1 ? LONGEST.length : at;
};

/** Begins with the longest files, on a fresh clone too, where nothing was measured yet. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
