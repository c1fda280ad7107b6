import { inspectRun, type Inspection } from '../../evaluate/rollouts/inspect.ts';
import { lacksLine } from '../../evaluate/rollouts/missing-parts.ts';
import { LINTS, type LintCode } from '../../evaluate/rollouts/lint/finding.ts';
import { basisWords } from '../../evaluate/rollouts/taxonomy.ts';
import { UsageError } from '../shared/options.ts';
import { openRolloutRun, type RolloutRun } from '../shared/rollout-paths.ts';
import { endProgress, print, say, sayProgress, type Command } from '../shared/command.ts';

const percent = (share: number | null): string =>
  share === null ? '–' : `${(100 * share).toFixed(1)} %`;

const line = (name: string, value: string): string => `${name.padEnd(32)}${value}`;

const counts = (record: Partial<Record<string, number>>): string =>
  Object.entries(record)
    .map(([name, n]) => `${name} ${n}`)
    .join(', ');

function judgeLines({ judge }: Inspection['statistics']): string[] {
  if (!judge) return [];
  const { em, subEm, coverEm } = judge.agreement;
  return [
    line('judge says right', `${judge.right.count} (${percent(judge.right.share)})`),
    // Without a score beside any verdict there is nothing to agree with.
    ...(em.share === null
      ? []
      : [
          line(
            'judge agrees with (SQuAD)',
            `EM ${percent(em.share)}, sub-EM ${percent(subEm.share)}, cover-EM ${percent(coverEm.share)}`,
          ),
        ]),
  ];
}

function evidenceLines({ evidence, judge }: Inspection['statistics']): string[] {
  const by = ({ em, coverEm, judge: judged }: typeof evidence.wrongThoughRetrieved): string =>
    `${em} by EM, ${coverEm} by cover-EM${judge ? `, ${judged} by the judge` : ''}`;
  return [
    line(
      'answer retrieved',
      `${evidence.retrieved.count} of ${evidence.open} (yes/no and computed answers left out: ${evidence.closed})`,
    ),
    line('retrieved but wrong', by(evidence.wrongThoughRetrieved)),
    line('right without retrieval', by(evidence.rightWithoutEvidence)),
  ];
}

function outcomeLines(statistics: Inspection['statistics'], of: Inspection['outcomes']): string[] {
  if (Object.keys(of).length === 0) return [];
  const basis = basisWords(statistics);
  return [line('outcomes', `${basis === null ? '' : `${basis}: `}${counts(of)}`)];
}

/** Lines that cannot be read, and files of a run, that are listed. */
const SHOWN = 5;

/** A file that cannot be read at all says so itself. */
const faultLine = ({ file, line: at, reason }: Inspection['faults'][number]): string =>
  at === 0 ? `  ${reason}` : `  ${file === undefined ? '' : `${file} `}line ${at} ${reason}`;

function fileLines(files: Record<string, number>): string[] {
  const all = Object.entries(files);
  const named = all.map(([name, n]) => `${name} ${n}`);
  const shown =
    all.length <= 2 * SHOWN ? named : [...named.slice(0, SHOWN), '…', ...named.slice(-2)];
  return [line('files, in order', `${all.length}: ${shown.join(', ')}`)];
}

/** A file that was named and is empty is a mistake, even where the others have rollouts. */
function checkGiven({ faults }: Inspection, { given }: RolloutRun): void {
  const lost = faults.filter(({ file, line: at }) => at === 0 && given.has(file ?? ''));
  if (lost.length > 0) throw new UsageError(lost.map(({ reason }) => reason).join(' '));
}

/** What was found, as text. */
function report({
  name,
  layouts,
  protocols,
  faults,
  files,
  lacks,
  statistics,
  lint,
  outcomes,
}: Inspection): string {
  const { em, subEm, coverEm, f1, byR1Searcher: r1, searches, reward } = statistics;
  const score = ({ count, share }: typeof em): string => `${count} (${percent(share)})`;
  const missing = lacksLine(lacks, statistics.rollouts);
  const found = Object.entries(lint) as [LintCode, { findings: number; rollouts: number }][];
  return [
    line(
      name,
      `${statistics.rollouts} rollouts: ${counts(layouts)}; protocols: ${counts(protocols)}`,
    ),
    ...(missing === null ? [] : [line('not in the file', missing)]),
    ...(files ? fileLines(files) : []),
    line(
      'questions, groups, steps',
      `${statistics.questions}, ${statistics.groups}, ${statistics.steps}`,
    ),
    ...(statistics.scored > 0
      ? [
          line('EM (SQuAD)', score(em)),
          line('sub-EM (SQuAD)', score(subEm)),
          line('cover-EM (SQuAD)', score(coverEm)),
          line('F1 (SQuAD)', percent(f1.mean)),
          ...(r1
            ? [
                line('EM (R1-Searcher)', score(r1.em)),
                line('sub-EM (R1-Searcher)', score(r1.subEm)),
                line('cover-EM (R1-Searcher, ACC_R)', score(r1.coverEm)),
                line('F1 (R1-Searcher)', percent(r1.f1.mean)),
              ]
            : []),
        ]
      : statistics.unread || statistics.errors
        ? []
        : ['no gold answers: nothing to score']),
    ...judgeLines(statistics),
    ...(statistics.scored > 0 ? evidenceLines(statistics) : []),
    ...outcomeLines(statistics, outcomes),
    ...(statistics.unread
      ? [
          line(
            'not scored',
            `${statistics.unread}: their answer cannot be read; left out of all means`,
          ),
        ]
      : []),
    ...(statistics.errors
      ? [
          line(
            'ended in an error',
            `${statistics.errors.count}, the first: ${statistics.errors.first}; left out of all means`,
          ),
        ]
      : []),
    line(
      'searches',
      `${searches.mean?.toFixed(2) ?? '–'} on average, ${searches.max} at most, none in ${searches.none}`,
    ),
    ...(reward.mean !== null
      ? [
          line(
            'reward',
            `${reward.mean.toFixed(4)} on average; ${statistics.zeroVarianceGroups} groups with equal rewards`,
          ),
        ]
      : []),
    ...found.map(([code, { findings, rollouts }]) =>
      line(
        `${LINTS[code].kind} ${code}`,
        `${findings} in ${rollouts} rollouts: ${LINTS[code].title}`,
      ),
    ),
    ...(faults.length > 0
      ? [
          line('lines that cannot be read', String(faults.length)),
          ...faults.slice(0, SHOWN).map(faultLine),
        ]
      : []),
  ].join('\n');
}

export const rolloutsCommand: Command = {
  name: 'rollouts',
  summary:
    'statistics and faults of rollouts, from Forage or another framework; several files or folders are read as one run, by step',
  positional: { name: 'FILE', required: true, many: true },
  options: {
    json: { type: 'boolean', help: 'print one JSON object and nothing else' },
  },
  async run(values, paths) {
    const run = await openRolloutRun(paths);
    const size = run.files.reduce((sum, { blob }) => sum + blob.size, 0);
    if (run.leftOut > 0)
      say(
        `${run.leftOut} other files of the folder were skipped: their names are not those of rollout files.`,
      );
    let shown = 0;
    const found = await inspectRun(run.files, run.name, (bytes) => {
      if (bytes - shown < 1e6) return;
      shown = bytes;
      sayProgress(`${((100 * bytes) / size).toFixed(0)} % read`);
    }).finally(endProgress);
    print(values.json ? JSON.stringify(found) : report(found));
    checkGiven(found, run);
  },
};
