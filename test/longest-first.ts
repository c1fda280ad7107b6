import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * A sequencer that begins with the files named, in their order: begun last, a long one would run on
 * while the other core idles. On a fresh clone nothing was measured yet that would tell.
 */
export const longestFirst = (longest: readonly string[]): typeof BaseSequencer => {
  const rank = ({ moduleId }: TestSpecification): number => {
    const at = longest.findIndex((file) => moduleId.endsWith(file));
    return at === -1 ? longest.length : at;
  };
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
    }
  };
};
