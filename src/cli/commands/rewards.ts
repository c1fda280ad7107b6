import { readCases } from '../golden/cases.ts';
import { compare, type Difference } from '../golden/compare.ts';
import { print, say, type Command } from '../shared/command.ts';
import { UsageError } from '../shared/options.ts';

/** Compares our rewards with values of released reward functions. */
export const rewardsCommand: Command = {
  name: 'rewards',
  summary: 'compares rewards of Forage with those of released reward functions',
  options: {
    golden: {
      type: 'string',
      value: 'FILE',
      help: 'cases as JSON lines: what a model wrote, and what the released functions returned',
    },
  },
  async run({ golden }) {
    if (golden === undefined) throw new UsageError('rewards needs --golden FILE.');
    const cases = await readCases(String(golden));
    const differing: Difference[] = [];
    let [equal, notComputed] = [0, 0];
    for (const one of cases) {
      const found = await compare(one);
      notComputed += found.notComputed;
      if (found.differences.length === 0) equal++;
      differing.push(...found.differences);
    }
    print(JSON.stringify({ cases: cases.length, equal, notComputed, differing }, null, 2));
    const unstated = differing.filter(({ stated }) => stated === null);
    say(
      `${equal} of ${cases.length} cases equal the released functions; ${differing.length - unstated.length} values differ for a stated reason, ${unstated.length} without one.`,
    );
    if (unstated.length > 0) process.exitCode = 1;
  },
};
