import { Button } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import type { CheckpointView } from '../../lab/contract/checkpoints.ts';
import type { RunRecord } from '../../lab/contract/records/runs.ts';
import { askWith } from '../ask/siblings/ask-with.ts';
import { useAnswer } from '../kit/use-answer.ts';
import { formatBytes } from '../kit/words/format.ts';
import { choosePolicy, useSetup } from '../setup/setup-store.ts';
import { formatTrainAddress, NEW_RUN } from '../train/store/train-address.ts';
import { editDraft } from '../train/store/train-draft.ts';
import { useTrain } from '../train/store/train-store.ts';
import { bytesOnServer, cancelOffer, importOffered, offerKey } from './offer-actions.ts';
import { importedRun, offersFor, type OfferedAdapter } from './offered.ts';
import { useModels, type OfferState } from './store/models-store.ts';

const Imported = ({ run }: { run: RunRecord }) => {
  const [, go] = useLocation();
  const setup = useSetup((state) => state.setup);
  const ask = () =>
    askWith(
      // With the passages and questions that are chosen now.
      { ...run, setup: { ...setup, policy: run.setup?.policy ?? setup.policy } },
      { policy: { kind: 'run', run: run.id, step: null }, beside: null },
      null,
      go,
    );
  const train = (): void => {
    choosePolicy(run.setup?.policy ?? setup.policy);
    editDraft({ startFrom: run.id });
    go(NEW_RUN);
  };
  return (
    <p>
      The trained adapter is imported as run{' '}
      <Link href={formatTrainAddress({ run: run.id, step: null })}>{run.name}</Link>.{' '}
      <button type="button" className="link" onClick={() => void ask()}>
        Ask with the adapter
      </button>{' '}
      or{' '}
      <button type="button" className="link" onClick={train}>
        train it further
      </button>
      .
    </p>
  );
};

const UnderWay = ({ of, name, state }: { of: string; name: string; state: OfferState }) => {
  if (state.status === 'failed') return null;
  const known = state.status === 'fetching' && state.total > 0;
  return (
    <p role="status">
      {state.status === 'importing'
        ? `Importing ${name} … `
        : `Downloading ${name}: ${formatBytes(state.loaded)}${known ? ` of ${formatBytes(state.total)}` : ''} `}
      <progress
        className="bar thin"
        aria-label="Share of the adapter downloaded"
        {...(known && { max: state.total, value: state.loaded })}
      />{' '}
      <button type="button" className="link" onClick={() => cancelOffer(of)}>
        Cancel
      </button>
    </p>
  );
};

const Available = (props: {
  checkpoint: CheckpointView;
  offered: OfferedAdapter;
  bytes: number;
  failure: string | null;
}) => {
  const { checkpoint, offered, bytes, failure } = props;
  return (
    <>
      <p>
        <b>Trained adapter: {offered.name}.</b> {offered.before.join(' ')}{' '}
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Use ${offered.name} for ${checkpoint.name}`}
          onClick={() => void importOffered(checkpoint.id, offered)}
        >
          {failure === null ? 'Use it' : 'Try again'}
          {bytes > 0 ? ` (${formatBytes(bytes)})` : ''}
        </Button>
      </p>
      {failure === null ? null : (
        <p className="tone-bad" role="alert">
          {failure}
        </p>
      )}
    </>
  );
};

const Offer = ({
  checkpoint,
  offered,
}: {
  checkpoint: CheckpointView;
  offered: OfferedAdapter;
}) => {
  const { id } = checkpoint;
  const key = offerKey(id, offered);
  const run = useTrain(({ runs }) => importedRun(runs, offered, id));
  const state = useModels(({ offers }) => offers[key]);
  const size = useAnswer(run ? null : offered.weightsUrl, () => bytesOnServer(offered.weightsUrl));
  if (run) return <Imported run={run} />;
  if (state && state.status !== 'failed')
    return <UnderWay of={key} name={offered.name} state={state} />;
  if (size.state !== 'ready' || size.value === null) return null;
  return (
    <Available
      checkpoint={checkpoint}
      offered={offered}
      bytes={size.value}
      failure={state?.message ?? null}
    />
  );
};

/** Offers the trained adapters below the model that they were trained on. */
export const Offers = ({ checkpoint }: { checkpoint: CheckpointView }) => {
  const runsAreRead = useTrain(({ status }) => status !== 'waiting');
  return runsAreRead
    ? offersFor(checkpoint).map((offered) => (
        <Offer key={offered.name} checkpoint={checkpoint} offered={offered} />
      ))
    : null;
};
