import { Button, FileInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { DemonstrationsFrom } from '../../../../lab/contract/demonstrations.ts';
import { REASONS, type Reason } from '../../../../learn/demonstrations/left-out.ts';
import { Select } from '../../../kit/Select.tsx';
import { formatCount, formatNumber } from '../../../kit/words/format.ts';
import {
  cancelDemonstrations,
  DEMONSTRATION_LIMITS,
  makeDemonstrations,
} from '../../store/make-demonstrations.ts';
import {
  grouped,
  keyOf,
  useChatModels,
  type PolicyChoice,
} from '../../../setup/form/policy-words.ts';
import { useSetup } from '../../../setup/setup-store.ts';
import { useSettings } from '../fields/fields.tsx';
import { Fold } from './Fold.tsx';
import { useTrainForm } from '../../store/train-draft.ts';

/** Makes demonstrations for a cold start, for a model that does not search yet. */

type From = DemonstrationsFrom['kind'];

const FROM: { value: From; label: string }[] = [
  { value: 'gold', label: 'gold evidence or answers of the training questions' },
  { value: 'rollouts', label: 'right rollouts of other systems' },
  { value: 'teacher', label: 'right rollouts of a larger model' },
];

const THINGS: Record<From, string> = {
  gold: 'questions',
  rollouts: 'rollouts',
  teacher: 'rollouts of the larger model',
};

const isCount = (text: string): boolean => /^[1-9]\d{0,6}$/.test(text.trim());

/** A whole number; other input gets a message beside the field. */
const CountField = (props: {
  label: string;
  title: string;
  value: string;
  onChange: (value: string) => void;
}) => (
  <TextInput
    size="xs"
    label={props.label}
    title={props.title}
    inputMode="numeric"
    value={props.value}
    error={isCount(props.value) ? undefined : 'A whole number above 0.'}
    onChange={(event) => props.onChange(event.currentTarget.value)}
  />
);

/** What was kept, and why the others were left out. */
const Made = () => {
  const made = useTrainForm(({ making }) => making.made);
  const problem = useTrainForm(({ making }) => making.problem);
  if (problem !== null) return <p className="field-error">{problem}</p>;
  if (!made) return null;
  const { of, kept, leftOut, tokens, searches } = made.summary;
  const reasons = Object.entries(leftOut) as [Reason, number][];
  return (
    <div className="wide" data-testid="made-demonstrations">
      <table className="plain-table">
        <tbody>
          <tr>
            <th scope="row">{formatCount(of)}</th>
            <td>{THINGS[made.of]}</td>
          </tr>
          <tr>
            <th scope="row">{formatCount(kept)}</th>
            <td>kept as demonstrations</td>
          </tr>
          {reasons.map(([reason, n]) => (
            <tr key={reason}>
              <th scope="row">{formatCount(n)}</th>
              <td>left out: {REASONS[reason]}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {tokens ? (
        <p className="fine">
          {formatCount(tokens.least)} to {formatCount(tokens.most)} tokens each, median{' '}
          {formatCount(tokens.median)}; {formatNumber(searches)} searches on average. They are
          chosen as the file of the cold start and kept on <Link href="/rollouts">Rollouts</Link>.
        </p>
      ) : (
        <p className="warn">
          ⚠ None was kept. Choose other questions, more passages per search, or another rollout
          system.
        </p>
      )}
    </div>
  );
};

const Progress = () => {
  const progress = useTrainForm(({ making }) => making.progress);
  if (!progress) return null;
  const { done, total, kept } = progress;
  return (
    <div className="wide" role="status">
      <progress className="bar" {...(total === null ? {} : { value: done, max: total })} />
      <span>
        {formatCount(done)}
        {total === null ? '' : ` of ${formatCount(total)}`} read, {formatCount(kept)} kept
      </span>{' '}
      <button type="button" className="link" onClick={() => void cancelDemonstrations()}>
        Cancel
      </button>
    </div>
  );
};

/** Models that can write demonstrations: all with a chat template but the one that learns. */
const useTeachers = (): PolicyChoice[] => {
  const learner = useSetup(({ setup }) => keyOf(setup.policy));
  return useChatModels().filter(({ ref }) => keyOf(ref) !== learner);
};

const Fields = () => {
  const settings = useSettings();
  const busy = useTrainForm(({ making }) => making.progress !== null);
  const [from, setFrom] = useState<From>('gold');
  const [files, setFiles] = useState<File[]>([]);
  const teachers = useTeachers();
  const [teacherKey, setTeacher] = useState('');
  const teacher = teachers.find(({ ref }) => keyOf(ref) === teacherKey) ?? teachers[0];
  const [tokens, setTokens] = useState(String(DEMONSTRATION_LIMITS.maxTokens));
  const [most, setMost] = useState(String(DEMONSTRATION_LIMITS.most));
  const valid = isCount(tokens) && isCount(most);
  const source = (): DemonstrationsFrom | null => {
    if (from === 'gold') return { kind: from };
    if (from === 'teacher') return teacher ? { kind: from, policy: teacher.ref } : null;
    const runFiles = files.map((file) => ({ name: file.name, blob: file }));
    return files[0] ? { kind: from, name: files[0].name, files: runFiles } : null;
  };
  const made = source();
  const ready = settings !== null && valid && !busy && made !== null;
  const make = (): void => {
    if (!settings || !made) return;
    void makeDemonstrations(made, settings, { maxTokens: Number(tokens), most: Number(most) });
  };
  return (
    <>
      <Select
        size="xs"
        className="wide"
        label="Made from"
        title="Gold evidence: chains or supporting titles of the questions, with the passages that the retriever returns. Of a question without evidence: two searches at most, kept if a passage names the answer, which may be by chance."
        value={from}
        data={FROM}
        onChange={({ currentTarget: { value } }) =>
          setFrom(FROM.find((one) => one.value === value)?.value ?? 'gold')
        }
      />
      {from === 'teacher' && teacher ? (
        <Select
          size="xs"
          className="wide"
          label="Larger model"
          title="It answers each training question four times; right rollouts are kept, in the tokens of the model that learns"
          value={keyOf(teacher.ref)}
          data={grouped(teachers)}
          onChange={(event) => setTeacher(event.currentTarget.value)}
        />
      ) : null}
      {from === 'teacher' && !teacher ? (
        <p className="wide">
          No other model is here. Add a server or open a larger model on{' '}
          <Link href="/models">Models</Link>.
        </p>
      ) : null}
      {from === 'rollouts' ? (
        <FileInput
          size="xs"
          className="wide"
          label="Rollouts of other systems"
          title="Any layout that the Rollouts page reads, with accepted answers: Search-R1, ReAct, R1-Searcher and others"
          placeholder="Choose files"
          multiple
          clearable
          clearButtonProps={{ 'aria-label': 'Leave the files out' }}
          value={files}
          onChange={setFiles}
        />
      ) : null}
      <CountField
        label="Demonstrations at most"
        title="It ends when this many are kept"
        value={most}
        onChange={setMost}
      />
      <CountField
        label="Tokens at most"
        title="Of one demonstration, with instruction and passages; longer ones are left out"
        value={tokens}
        onChange={setTokens}
      />
      <Button size="xs" variant="default" disabled={!ready} onClick={make}>
        Make demonstrations
      </Button>
      <Progress />
      <Made />
    </>
  );
};

export const DemonstrationsFold = () => {
  const { progress, made } = useTrainForm(({ making }) => making);
  const now = progress
    ? `${formatCount(progress.kept)} made so far`
    : made
      ? `${formatCount(made.summary.kept)} made`
      : 'for a cold start';
  return (
    <Fold name="Make demonstrations" paths={[]} now={() => now}>
      <Fields />
    </Fold>
  );
};
