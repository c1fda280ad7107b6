import { memo, useState } from 'react';
import { answerText } from '../../../records/outside-answer.ts';
import type { Reading, RolloutFile } from '../../../lab/contract/rollouts.ts';
import { LINTS } from '../../../evaluate/rollouts/lint/finding.ts';
import { Link } from 'wouter';
import { formatCount, formatNumber, formatSigned } from '../../kit/words/format.ts';
import { basisOf } from '../../../evaluate/rollouts/taxonomy.ts';
import { Fact } from '../../kit/Fact.tsx';
import { outcomeName } from '../words.ts';
import { filePath } from '../store/browse-address.ts';
import { MarkedText } from './parts/MarkedText.tsx';
import { Marks } from './Marks.tsx';
import type { Neighbours } from './store/order.ts';
import { messageOf } from '../../../base/errors.ts';
import { CopyButton } from '../../kit/CopyButton.tsx';
import { fileStem, saveFile } from '../../kit/page/save-file.ts';
import { rollouts } from './store/api.ts';
import type { MarkState } from './store/use-mark.ts';
import { Terms } from '../../kit/words/explain/Term.tsx';

/** Longer questions are cut in the header; the text view has all. */
const LONGEST = 600;

/** A number with its name; a dash if unknown. */
/** Scores of the answer. Two normalisers are shown because papers report either; the judge is the file’s own. */
const Verdict = ({ reading }: { reading: Reading }) => {
  const { rollout, row } = reading;
  const { em, f1, searches, tokens, words } = row.row.numbers;
  const coverEm = row.row.numbers['cover-em'];
  const r1Em = row.row.numbers['em.r1-searcher'];
  const r1CoverEm = row.row.numbers['cover-em.r1-searcher'];
  const { outcome, notScored } = row.row;
  const { judge } = rollout;
  return (
    <div className="facts">
      {notScored !== undefined ? (
        <>
          <span className="badge" title="It counts in no mean.">
            not scored
          </span>
          <span className="fine">{notScored}</span>
        </>
      ) : em === null ? (
        <span className="badge">no gold answer: not scored</span>
      ) : (
        <span className={em === 1 ? 'badge good' : 'badge bad'}>
          <Terms>{em === 1 ? '✓ right by EM' : '✗ wrong by EM'}</Terms>
        </span>
      )}
      <Fact name="EM (SQuAD)" value={formatNumber(em)} />
      <Fact name="F1 (SQuAD)" value={formatNumber(f1)} />
      <Fact name="cover-EM (SQuAD)" value={formatNumber(coverEm)} />
      {row.row.outside === undefined ? null : (
        <>
          <Fact name="EM outside the tags" value={formatNumber(row.row.numbers['em.outside'])} />
          <Fact name="F1 outside the tags" value={formatNumber(row.row.numbers['f1.outside'])} />
        </>
      )}
      <Fact name="EM (R1-Searcher)" value={formatNumber(r1Em)} />
      <Fact name="cover-EM (R1-Searcher)" value={formatNumber(r1CoverEm)} />
      <Fact
        name="judge"
        term="judge"
        value={
          judge === undefined
            ? 'none'
            : judge.verdict === null
              ? 'unreadable'
              : judge.verdict
                ? 'right'
                : 'wrong'
        }
      />
      {outcome === null ? null : (
        <Fact name="outcome" value={outcomeName(outcome, basisOf(outcome, row.row.numbers))} />
      )}
      <Fact name="reward" term="reward" value={formatNumber(rollout.reward)} />
      <Fact name="advantage" term="advantage" value={formatSigned(rollout.advantage)} />
      <Fact name="searches" value={formatNumber(searches)} />
      {tokens === null ? (
        <Fact name="words" value={formatNumber(words)} />
      ) : (
        <Fact name="tokens" value={formatNumber(tokens)} />
      )}
      {row.row.lint.map((code) => (
        <span key={code} className="badge bad" title={LINTS[code].why}>
          ⚠ {LINTS[code].title}
        </span>
      ))}
    </div>
  );
};

interface ReaderHeaderProps {
  reading: Reading;
  neighbours: Neighbours;
  mark: MarkState;
  go: (rolloutId: string) => void;
  /** Filter and order of the table. */
  rest: string;
}

const FILES: readonly [RolloutFile, string, string][] = [
  ['jsonl', 'JSONL', 'The record as Forage reads it, one line'],
  ['markdown', 'Markdown', 'Rounds, scores and findings for a report or an issue'],
  ['html', 'HTML', 'One file that opens anywhere, without scripts or network'],
];

const ENDINGS: Record<RolloutFile, string> = { jsonl: 'jsonl', markdown: 'md', html: 'html' };

/** Permalink, and exports of the rollout. */
const Share = ({ reading }: { reading: Reading }) => {
  const [said, setSaid] = useState('');
  const { file, row } = reading;
  const save = async (format: RolloutFile) => {
    setSaid('writing …');
    try {
      const blob = await rollouts().rolloutFile(file.id, row, format);
      saveFile(`${fileStem(row.row.id).slice(0, 80)}.${ENDINGS[format]}`, blob);
      setSaid('');
    } catch (error) {
      setSaid(`not written: ${messageOf(error)}`);
    }
  };
  return (
    <span className="share">
      <CopyButton label="copy link" text={() => location.href} />
      <span className="fine">save as</span>
      {FILES.map(([format, name, title]) => (
        <button
          key={format}
          type="button"
          className="link"
          title={title}
          onClick={() => void save(format)}
        >
          {name}
        </button>
      ))}
      <span className="fine" role="status">
        {said}
      </span>
    </span>
  );
};

/**
 * Question, gold and answer, neighbours, and notes. All file texts go through `MarkedText`, which
 * makes control and bidi characters visible. Memoised against steps within the rollout.
 */
export const ReaderHeader = memo(({ reading, neighbours, mark, go, rest }: ReaderHeaderProps) => {
  const { rollout, file, row } = reading;
  const { previous, next, position, count, selected } = neighbours;
  const { question } = rollout;
  return (
    <header className="reader-head">
      <div className="reader-bar">
        <Link
          href={filePath(file.id, rest === '' ? '' : `?${rest}`)}
          className="ellipsis file-link"
        >
          ← <MarkedText text={file.name} marks={[]} />
        </Link>
        <button
          type="button"
          className="link"
          disabled={previous === null}
          onClick={() => previous !== null && go(previous)}
        >
          ↑ previous (k)
        </button>
        <button
          type="button"
          className="link"
          disabled={next === null}
          onClick={() => next !== null && go(next)}
        >
          ↓ next (j)
        </button>
        <span className="fine">
          {formatCount(position + 1)} of {formatCount(count)} in the{' '}
          {selected ? 'table’s order' : 'file’s order'}
          {row.row.numbers.step === null ? '' : ` · step ${row.row.numbers.step}`}
        </span>
        <span className="grow" />
        <Share reading={reading} />
      </div>
      <h1 className="reader-question">
        <MarkedText text={question.text} to={Math.min(question.text.length, LONGEST)} marks={[]} />
        {question.text.length > LONGEST ? ' …' : ''}
      </h1>
      <div className="reader-answers">
        <span>
          <span className="fine">gold</span>{' '}
          <b>
            <MarkedText
              text={question.answers.join(' / ').slice(0, LONGEST) || 'none in the file'}
              marks={[]}
            />
          </b>
        </span>
        <span>
          <span className="fine">answer</span>{' '}
          <b>
            <MarkedText text={answerText(rollout).slice(0, LONGEST)} marks={[]} />
          </b>
        </span>
      </div>
      {row.row.why ? (
        <p className="reader-why">
          <span className="fine">why</span> <MarkedText text={row.row.why} marks={[]} />
        </p>
      ) : null}
      <Verdict reading={reading} />
      <Marks mark={mark} />
    </header>
  );
});
