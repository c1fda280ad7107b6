import type { Mutant } from './mutants.ts';

export type Fate = 'killed' | 'timed out' | 'lived' | 'no test' | 'equivalent' | 'ill-typed';

export interface Verdict {
  readonly part: string;
  readonly mutant: Mutant;
  /** The mutation as text, see `describe`. */
  readonly text: string;
  readonly fate: Fate;
  /** Of a killed one the test that failed; of an equivalent one why no test can. */
  readonly why?: string;
}

/** Wilson's interval of a share, at 95 % (Wilson, 1927). */
export function interval(hits: number, of: number): readonly [low: number, high: number] {
  if (of === 0) return [0, 1];
  const z = 1.96;
  const share = hits / of;
  const middle = share + z ** 2 / (2 * of);
  const reach = z * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  const scale = 1 + z ** 2 / of;
  return [(middle - reach) / scale, (middle + reach) / scale];
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

function row(name: string, verdicts: readonly Verdict[]): string {
  const count = (fate: Fate): number => verdicts.filter((each) => each.fate === fate).length;
  const [illTyped, equivalent] = [count('ill-typed'), count('equivalent')];
  const of = verdicts.length - illTyped - equivalent;
  const hits = count('killed') + count('timed out');
  const [low, high] = interval(hits, of);
  const rate = of === 0 ? '' : `${percent(hits / of)} (${percent(low)} to ${percent(high)})`;
  const cells = [name, verdicts.length, illTyped, equivalent, count('killed'), count('timed out')];
  return `| ${[...cells, count('lived'), count('no test'), rate].join(' | ')} |`;
}

/** The table by part, then every mutant that lived and every one that no test can tell. */
export function report(verdicts: readonly Verdict[]): string {
  const parts = [...new Set(verdicts.map(({ part }) => part))];
  const list = (title: string, fates: readonly Fate[]): string[] => {
    const found = verdicts.filter(({ fate }) => fates.includes(fate));
    if (found.length === 0) return [];
    const lines = found.map(({ mutant, text, fate, why }) => {
      const note = fate === 'no test' ? '. No test runs it' : why === undefined ? '' : `. ${why}`;
      return `- ${mutant.file}:${mutant.line}: ${text}${note}`;
    });
    return ['', title, '', ...lines];
  };
  return [
    '| part | mutants | do not compile | equivalent | killed | timed out | lived | not run | kill rate (95 % interval) |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...parts.map((part) =>
      row(
        part,
        verdicts.filter((each) => each.part === part),
      ),
    ),
    row('all', verdicts),
    ...list('Lived:', ['lived', 'no test']),
    ...list('Equivalent:', ['equivalent']),
    '',
  ].join('\n');
}
