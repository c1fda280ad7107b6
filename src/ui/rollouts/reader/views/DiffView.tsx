import { TextInput } from '@mantine/core';
import { Select } from '../../../kit/Select.tsx';
import { useEffect, useMemo, useRef, useState, useCallback, type ReactNode } from 'react';
import { type ImportedRollout } from '../../../../formats/rollouts/shape/imported.ts';
import { answerOf, answerText } from '../../../../records/outside-answer.ts';
import type { DiffPiece, DiffRun } from '../../../../evaluate/rollouts/diff.ts';
import type { Neighbour, Reading } from '../../../../lab/contract/rollouts.ts';
import { formatCount, formatNumber, plural } from '../../../kit/words/format.ts';
import { parseReaderAddress, type RolloutName } from '../store/address.ts';
import { rollouts, readRollout } from '../store/api.ts';
import { useAnswer } from '../../../kit/use-answer.ts';
import { MarkedText } from '../parts/MarkedText.tsx';
import { Problem } from '../parts/Problem.tsx';
import { Rounds } from './Rounds.tsx';

/** Answer, right or wrong, reward and rounds of one side. */
const Side = ({ reading, children }: { reading: Reading; children: ReactNode }) => {
  const { rollout, row, rounds, file } = reading;
  const { em, searches } = row.row.numbers;
  const facts = [
    ...(em === null ? [] : [em === 1 ? 'right' : 'wrong']),
    ...(searches === null ? [] : [plural(searches, 'search', 'searches')]),
    ...(rollout.reward === null ? [] : [`reward ${formatNumber(rollout.reward)}`]),
    plural(rounds.length, 'round'),
  ];
  return (
    <section className="beside-side" aria-label={`Rollout of ${file.name}`}>
      <p>
        <b>{answerText(rollout)}</b> <span className="fine">{facts.join(' · ')}</span>
      </p>
      <p className="fine ellipsis" title={rollout.id}>
        {file.name} · {rollout.id}
      </p>
      {children}
    </section>
  );
};

interface SidesProps {
  reading: Reading;
  other: RolloutName;
  /** Opens a rollout at an event. */
  open: (rollout: RolloutName, event?: number) => void;
}

/** Two rollouts in columns, each as rounds. */
const Beside = ({ reading, other, open }: SidesProps) => {
  const read = useAnswer(`${other.fileId} ${other.rolloutId}`, () =>
    readRollout(other.fileId, other.rolloutId),
  );
  const own = { fileId: reading.file.id, rolloutId: reading.rollout.id };
  const roundsOf = useCallback(
    ({ rollout, rounds, findings }: Reading, name: RolloutName) => {
      const go = (event: number) => open(name, event);
      return (
        <Rounds
          rollout={rollout}
          rounds={rounds}
          findings={findings}
          event={null}
          readText={go}
          goEvent={go}
        />
      );
    },
    [open],
  );
  if (read.state === 'failed') return <Problem what="The other rollout" message={read.message} />;
  return (
    <div className="beside-sides">
      <Side reading={reading}>{roundsOf(reading, own)}</Side>
      {read.state === 'loading' ? (
        <p role="status">Reading the other rollout …</p>
      ) : read.value ? (
        <Side reading={read.value}>{roundsOf(read.value, other)}</Side>
      ) : (
        <p className="note">
          This rollout is not in this browser. Its file was deleted, or imported in another browser.
        </p>
      )}
    </div>
  );
};

/** What this rollout and another have in common, word by word. */

/** Words that are drawn around a change; a longer stretch of the same is folded. */
const CONTEXT = 24;
/** Runs that are drawn at first. */
const MOST_RUNS = 1500;
/** Characters beyond which the comparison has to be asked for. */
const LARGE = 2_000_000;

/**
 * A rollout in a list of them: its answer, whether it is right, its reward, and the end of its id,
 * where ids of one run differ.
 */
const optionName = ({ id, em, reward, ...given }: Neighbour, n: number): string =>
  `${n}: ${answerOf(given).slice(0, 40)}${em === null ? '' : em === 1 ? ' ✓' : ' ✗'}${
    reward === null ? '' : `, reward ${formatNumber(reward)}`
  } · ${id.slice(-40)}`;

/** File and rollout as one string for a select; `nameOf` reads it back. */
const keyOf = ({ fileId, rolloutId }: RolloutName): string =>
  `${encodeURIComponent(fileId)}/${encodeURIComponent(rolloutId)}`;

const nameOf = (key: string): RolloutName => {
  const { fileId, rolloutId } = parseReaderAddress(`/rollouts/${key}`, '');
  return { fileId, rolloutId };
};

/** A pasted address, whole or from its path on. */
const pastedName = (text: string): RolloutName | null => {
  const match = /\/rollouts\/([^/?#\s]+)\/([^/?#\s]+)/.exec(text);
  return match ? nameOf(`${match[1]}/${match[2]}`) : null;
};

/**
 * Chooses the other side: a sibling, the same question in another file, or any address that is
 * pasted.
 */
const Picker = (props: {
  reading: Reading;
  other: RolloutName | null;
  choose: (rollout: RolloutName) => void;
}) => {
  const { reading, other, choose } = props;
  const { file, rollout, siblings } = reading;
  const [pasted, setPasted] = useState('');
  const elsewhere = useAnswer(`${file.id} ${rollout.question.id}`, () =>
    rollouts().sameQuestion(file.id, rollout.question),
  );
  const option = (one: Neighbour, n: number) => ({
    value: keyOf({ fileId: one.fileId, rolloutId: one.id }),
    label: optionName(one, n + 1),
  });
  const others = elsewhere.state === 'ready' ? elsewhere.value.slice(0, 200) : [];
  const files = [...new Set(others.map((one) => one.file))];
  // Checked as it is typed, so that the button says beforehand whether it would do something.
  const given = pastedName(pasted);
  return (
    <form
      className="form-line"
      onSubmit={(event) => {
        event.preventDefault();
        if (given) choose(given);
      }}
    >
      <Select
        size="xs"
        className="diff-select"
        label="Compare with"
        value={other ? keyOf(other) : ''}
        onChange={(event) => {
          if (event.currentTarget.value) choose(nameOf(event.currentTarget.value));
        }}
        data={[
          { value: '', label: 'choose …' },
          {
            group: 'Siblings',
            items: siblings
              .map(option)
              .filter(({ value }) => value !== keyOf({ fileId: file.id, rolloutId: rollout.id })),
          },
          ...files.map((name) => ({
            group: `Same question in ${name.slice(0, 60)}`,
            items: others.filter((one) => one.file === name).map(option),
          })),
          ...(other &&
          !siblings
            .concat(others)
            .some((one) => keyOf({ fileId: one.fileId, rolloutId: one.id }) === keyOf(other))
            ? [{ value: keyOf(other), label: other.rolloutId.slice(0, 60) }]
            : []),
        ]}
      />
      <TextInput
        size="xs"
        label="or paste the address of a rollout"
        value={pasted}
        error={pasted !== '' && !given ? 'this is not the address of a rollout' : undefined}
        onChange={(event) => setPasted(event.currentTarget.value)}
      />
      <button type="submit" className="link" disabled={!given}>
        Compare
      </button>
    </form>
  );
};

/** A stretch of text of one kind within one segment. */
interface Part {
  kind: DiffRun['kind'];
  segment: number;
  text: string;
  /** Words of a folded stretch. */
  folded: number;
}

/** Runs as texts, cut where another segment begins; long stretches of the same are folded. */
export const partsOf = (
  runs: readonly DiffRun[],
  a: readonly DiffPiece[],
  b: readonly DiffPiece[],
): Part[] => {
  const parts: Part[] = [];
  const push = (kind: Part['kind'], pieces: readonly DiffPiece[]) => {
    for (const { segment, text } of pieces) {
      const last = parts.at(-1);
      if (last && last.kind === kind && last.segment === segment && last.folded === 0)
        last.text += text;
      else parts.push({ kind, segment, text, folded: 0 });
    }
  };
  runs.forEach(({ kind, aFrom, aTo, bFrom, bTo }, at) => {
    if (kind !== 'same') {
      push(kind, kind === 'removed' ? a.slice(aFrom, aTo) : b.slice(bFrom, bTo));
      return;
    }
    const [head, tail] = [at === 0 ? 0 : CONTEXT, at === runs.length - 1 ? 0 : CONTEXT];
    const folded = aTo - aFrom - head - tail;
    if (folded < CONTEXT) return push('same', a.slice(aFrom, aTo));
    push('same', a.slice(aFrom, aFrom + head));
    parts.push({ kind: 'same', segment: a[aFrom + head]!.segment, text: '', folded });
    push('same', a.slice(aTo - tail, aTo));
  });
  return parts;
};

/** `ins` and `del` are what screen readers know as an addition and a removal. */
const TAGS = { same: 'span', removed: 'del', added: 'ins' } as const;

/**
 * One part, with the role of its segment where that changes. Colour, strike-through and hidden
 * words all say on which side it stands.
 */
const PartView = ({ part, role, first }: { part: Part; role: string | null; first: boolean }) => {
  const Tag = TAGS[part.kind];
  return (
    <>
      {role === null ? null : (
        <span className="diff-role">
          {first ? null : <br />}
          {role}
        </span>
      )}
      {part.folded > 0 ? (
        <span className="diff-fold"> … {formatCount(part.folded)} words the same … </span>
      ) : (
        <Tag className={`diff-${part.kind}`}>
          {part.kind === 'same' ? null : (
            <span className="visually-hidden">
              {part.kind === 'removed' ? 'only here: ' : 'only there: '}
            </span>
          )}
          <MarkedText text={part.text} marks={[]} />
        </Tag>
      )}
    </>
  );
};

/** The other rollout, the parts to draw, and counts of words: the same, only here, only there. */
interface Compared {
  other: ImportedRollout;
  parts: Part[];
  same: number;
  here: number;
  there: number;
}

/**
 * The worker makes the diff: both texts are there, and a long one would block the page. @returns
 * null where no rollout of this name is in this browser
 */
const compare = async (reading: Reading, name: RolloutName): Promise<Compared | null> => {
  const found = await rollouts().find(name.fileId, name.rolloutId);
  if (!found) return null;
  const other = await rollouts().rollout(name.fileId, found);
  const { a, b, runs } = await rollouts().diff(
    { fileId: reading.file.id, place: reading.row },
    { fileId: name.fileId, place: found },
  );
  const words = { same: 0, removed: 0, added: 0 };
  for (const { kind, aFrom, aTo, bFrom, bTo } of runs)
    words[kind] += kind === 'added' ? bTo - bFrom : aTo - aFrom;
  return {
    other,
    parts: partsOf(runs, a, b),
    same: words.same,
    here: words.removed,
    there: words.added,
  };
};

/**
 * The diff itself. `step` is counted without end in either direction: it wraps around the changes.
 */
const Differences = (props: {
  reading: Reading;
  other: RolloutName;
  step: number | null;
  open: (rollout: RolloutName) => void;
}) => {
  const { reading, other, step, open } = props;
  const [most, setMost] = useState(MOST_RUNS);
  const box = useRef<HTMLDivElement>(null);
  const compared = useAnswer(`${reading.file.id} ${reading.rollout.id} ${keyOf(other)}`, () =>
    compare(reading, other),
  );
  const value = compared.state === 'ready' ? compared.value : null;
  const changes = useMemo(
    () => value?.parts.flatMap(({ kind }, at) => (kind === 'same' ? [] : [at])) ?? [],
    [value],
  );
  useEffect(() => {
    if (step === null || changes.length === 0) return;
    const marks = box.current?.querySelectorAll('ins, del');
    const mark = marks?.[((step % changes.length) + changes.length) % changes.length];
    mark?.scrollIntoView({ block: 'center' });
    // Marked in the document itself: drawing thousands of parts again for one class would take
    // long.
    for (const one of marks ?? []) one.classList.toggle('current', one === mark);
  }, [step, changes]);
  if (compared.state === 'failed')
    return <Problem what="The other rollout" message={compared.message} />;
  if (compared.state === 'loading') return <p className="fine">Comparing …</p>;
  if (!value)
    return (
      <p className="note">
        This rollout is not in this browser. Its file was deleted, or imported in another browser.
      </p>
    );
  const role = (part: Part) =>
    (part.kind === 'added' ? value.other : reading.rollout).segments[part.segment]?.role ?? '';
  return (
    <>
      <p className="diff-head">
        <span>
          <del className="diff-removed">only here</del>{' '}
          <b>
            <MarkedText text={answerText(reading.rollout)} marks={[]} />
          </b>{' '}
          <span className="fine">{formatCount(value.here)} words</span>
        </span>
        <span>
          <ins className="diff-added">only there</ins>{' '}
          <b>
            <MarkedText text={answerText(value.other)} marks={[]} />
          </b>{' '}
          <span className="fine">{formatCount(value.there)} words</span>{' '}
          <button type="button" className="link" onClick={() => open(other)}>
            open it
          </button>
        </span>
        <span className="fine">
          {formatCount(value.same)} words the same · {formatCount(changes.length)} changes (n, p)
        </span>
      </p>
      <div className="diff-text" ref={box}>
        {value.parts.slice(0, most).map((part, at) => {
          const before = value.parts[at - 1];
          const begins = !before || role(before) !== role(part);
          return (
            <PartView key={at} part={part} role={begins ? role(part) : null} first={at === 0} />
          );
        })}
      </div>
      {value.parts.length > most ? (
        <button type="button" className="link" onClick={() => setMost(most + 2 * MOST_RUNS)}>
          … {formatCount(value.parts.length - most)} more pieces: show more
        </button>
      ) : null}
    </>
  );
};

interface DiffViewProps {
  reading: Reading;
  other: RolloutName | null;
  /** Number of the change to be on. */
  step: number | null;
  choose: (rollout: RolloutName) => void;
  open: (rollout: RolloutName, event?: number) => void;
}

/**
 * This rollout against another one. Very long texts are compared only when somebody asks for it.
 */
export const DiffView = ({ reading, other, step, choose, open }: DiffViewProps) => {
  const length = reading.rollout.segments.reduce((sum, { text }) => sum + text.length, 0);
  const [asked, setAsked] = useState(false);
  const [inline, setInline] = useState(false);
  const wait = length > LARGE && !asked;
  return (
    <div className="diff-view">
      <Picker reading={reading} other={other} choose={choose} />
      {other ? (
        <div className="choice-line" role="group" aria-label="How to compare">
          {[false, true].map((one) => (
            <button
              key={String(one)}
              type="button"
              className={one === inline ? 'choice chosen' : 'choice'}
              aria-pressed={one === inline}
              onClick={() => setInline(one)}
            >
              {one ? 'Changed words' : 'Side by side'}
            </button>
          ))}
        </div>
      ) : null}
      {!other ? (
        <p className="fine">
          Choose a sibling or a rollout of the same question in another file, or paste the address
          of any rollout in this browser.
        </p>
      ) : !inline && step === null ? (
        <Beside key={keyOf(other)} reading={reading} other={other} open={open} />
      ) : wait ? (
        <p>
          The text has {formatCount(length)} characters; comparing it takes a while.{' '}
          <button type="button" className="link" onClick={() => setAsked(true)}>
            Compare anyway
          </button>
        </p>
      ) : (
        <Differences key={keyOf(other)} reading={reading} other={other} step={step} open={open} />
      )}
    </div>
  );
};
