import { Button, Checkbox, Modal, NumberInput, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { TRAINERS, type Trainer } from '../../../handover/export/parts/experiment.ts';
import type { Refusal, OmittedPart } from '../../../handover/export/mapping/mapping.ts';
import type { ExportPlan, ExportSubject } from '../../../lab/contract/exports.ts';
import { createAttempt, type Problem } from '../../kit/attempt.ts';
import { saveFile } from '../../kit/page/save-file.ts';
import { useAnswer } from '../../kit/use-answer.ts';
import { plural } from '../../kit/words/format.ts';
import { lab } from '../../lab/connection.ts';
import './export.css';

/** Trainers by name, and what they run on. */
const NAMES: Readonly<Record<Trainer, { name: string; on: string }>> = {
  trl: { name: 'TRL', on: 'Hugging Face TRL with accelerate and vLLM.' },
  verl: { name: 'verl', on: 'verl with Ray, FSDP, and vLLM or SGLang.' },
};

/** What can be left out, as text. */
const PARTS: Readonly<Record<OmittedPart, string>> = {
  'dynamic-sampling': 'dynamic sampling: groups with equal rewards are not replaced',
  kl: 'the KL term',
  credit: 'per-search advantages: their credit is added to the reward',
  router: 'router training',
  'warm-up': 'supervised warm-up (SFT)',
  adapter: 'the run’s adapter: training restarts without it',
};

/** Offered and chosen omissions, distinct. */
const omittableParts = (
  refusals: readonly Refusal[],
  without: readonly OmittedPart[],
): OmittedPart[] => [
  ...new Set([...without, ...refusals.flatMap((refusal) => refusal.without ?? [])]),
];

interface ChoiceProps {
  refusals: readonly Refusal[];
  /** Omissions that make the experiment runnable. */
  without: readonly OmittedPart[];
  change: (without: OmittedPart[]) => void;
}

/** Unsupported features, each with an omission if possible. */
const Refused = ({ refusals, without, change }: ChoiceProps) => {
  const parts = omittableParts(refusals, without);
  return (
    <>
      {refusals.length > 0 ? (
        <div role="alert">
          <h3>This trainer cannot run the experiment unchanged</h3>
          <ul>
            {refusals.map(({ setting, why }) => (
              <li key={`${setting} ${why}`}>
                <code>{setting}</code>: {why}
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      {parts.length > 0 ? (
        <fieldset>
          <legend>Leave out</legend>
          {parts.map((part) => (
            <Checkbox
              key={part}
              size="xs"
              label={PARTS[part]}
              checked={without.includes(part)}
              onChange={() =>
                change(
                  without.includes(part)
                    ? without.filter((one) => one !== part)
                    : [...without, part],
                )
              }
            />
          ))}
        </fieldset>
      ) : null}
    </>
  );
};

/** Settings that differ in the trainer, and the files of the folder. */
const Differs = ({ notes, files }: Pick<ExportPlan, 'notes' | 'files'>) => (
  <>
    {notes.length > 0 ? (
      <>
        <h3>What differs from training here</h3>
        <ul className="export-notes">
          {notes.map(({ setting, text }) => (
            <li key={`${setting} ${text}`}>
              <code>{setting}</code>: {text}
            </li>
          ))}
        </ul>
      </>
    ) : null}
    <details>
      <summary>{plural(files.length, 'file')}</summary>
      <p className="fine">{files.join(', ')}</p>
    </details>
  </>
);

interface DialogProps {
  subject: ExportSubject;
  name: string;
  onClose: () => void;
}

/** Exports the experiment for another trainer: what it refuses, what differs, and the archive. */
export const ExportDialog = ({ subject: given, name, onClose }: DialogProps) => {
  const [steps, setSteps] = useState(given.kind === 'run' ? given.steps : 0);
  const subject = given.kind === 'run' ? { ...given, steps } : given;
  const [to, setTo] = useState<Trainer>(TRAINERS[0]);
  const [without, setWithout] = useState<OmittedPart[]>([]);
  const [making, setMaking] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  // Checked on every choice; the folder itself is built on download.
  const plan = useAnswer(JSON.stringify([subject, to, without]), () =>
    lab().exports.plan(subject, to, without),
  );
  const attempt = createAttempt(setProblem);
  const download = async (): Promise<void> => {
    setMaking(true);
    setProblem(null);
    const made = await attempt('The folder could not be made', () =>
      lab().exports.folder(subject, to, without),
    );
    if (made) saveFile(made.name, made.blob);
    setMaking(false);
  };
  const ready = plan.state === 'ready' && plan.value.refusals.length === 0;
  return (
    <Modal.Root opened onClose={onClose} transitionProps={{ duration: 0 }} size="lg">
      <Modal.Overlay />
      <Modal.Content aria-label="Take it to a cluster" className="dialog">
        <Modal.Body p="xs" className="dialog-body export-dialog" tabIndex={0}>
          <h2>Take “{name}” to a cluster</h2>
          <p className="fine">
            A folder that trains with the same loop, rewards, masks, questions and adapter. Drop the
            result folder on Runs afterwards.
          </p>
          <SegmentedControl
            size="xs"
            aria-label="Trainer"
            data={TRAINERS.map((value) => ({ value, label: NAMES[value].name }))}
            value={to}
            onChange={(value) => {
              setTo(TRAINERS.find((one) => one === value) ?? to);
              // Trainers lack different features.
              setWithout([]);
            }}
          />
          <p className="fine">{NAMES[to].on}</p>
          {given.kind === 'run' ? (
            <NumberInput
              size="xs"
              label="Steps in total, including those already done"
              min={1}
              allowDecimal={false}
              value={steps}
              onChange={(value) => typeof value === 'number' && setSteps(value)}
            />
          ) : null}
          {plan.state === 'loading' ? <p role="status">Building the folder …</p> : null}
          {plan.state === 'failed' ? (
            <p role="alert" className="tone-bad">
              ⚠ {plan.message}
            </p>
          ) : null}
          {plan.state === 'ready' ? (
            <>
              <Refused refusals={plan.value.refusals} without={without} change={setWithout} />
              {ready ? <Differs {...plan.value} /> : null}
            </>
          ) : null}
          {problem ? (
            <p role="alert" className="tone-bad">
              ⚠ {problem.text}
            </p>
          ) : null}
          <div className="export-actions">
            <Button size="xs" disabled={!ready} loading={making} onClick={() => void download()}>
              Download the folder (tar)
            </Button>
            <Button size="xs" variant="default" onClick={onClose}>
              Close
            </Button>
          </div>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
};
