import { Select } from '../../kit/Select.tsx';
import { importOffered, useOffers } from '../../models/offer-store.ts';
import { importedRun, offeredFor } from '../../models/offered.ts';
import { useCheckpoints } from '../../models/store/checkpoint-store.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { useStartRun, useStartRuns } from './fields/start-from.ts';
import { useDraft } from '../store/train-draft.ts';
import { useTrain } from '../store/train-store.ts';

const NEW = '';

/** The adapter that comes with Forage for the chosen model, while it is not imported. */
const Offered = () => {
  const policy = useSetup(({ setup }) => setup.policy);
  const checkpoint = useCheckpoints(({ checkpoints }) =>
    policy.kind === 'checkpoint' ? checkpoints.find(({ id }) => id === policy.id) : undefined,
  );
  const offered = checkpoint ? offeredFor(checkpoint) : null;
  const imported = useTrain(
    ({ runs }) =>
      offered !== null && checkpoint && importedRun(runs, offered, checkpoint.id) !== undefined,
  );
  const state = useOffers(({ offers }) => (checkpoint ? offers[checkpoint.id] : undefined));
  if (!offered || !checkpoint || imported) return null;
  const take = async (): Promise<void> => {
    await importOffered(checkpoint.id, offered);
    const run = importedRun(useTrain.getState().runs, offered, checkpoint.id);
    if (run) useDraft.setState({ startFrom: run.id });
  };
  return (
    <p className="fine">
      {state && state.status !== 'failed' ? (
        'Importing the trained adapter for this model …'
      ) : (
        <>
          A trained adapter comes with Forage for this model.{' '}
          <button type="button" className="link" onClick={() => void take()}>
            Import it and start from it
          </button>
          {state?.status === 'failed' ? ` ${state.message}` : ''}
        </>
      )}
    </p>
  );
};

/** A new adapter, or one that was trained on the chosen model. */
export const StartFromField = () => {
  const runs = useStartRuns();
  const run = useStartRun();
  return (
    <>
      <div className="form-fields">
        <Select
          size="xs"
          className="wide"
          label="Start from"
          title="The run trains a copy of it; the other run stays as it is"
          value={run?.id ?? NEW}
          data={[
            { value: NEW, label: 'a new adapter' },
            ...runs.map(({ id, name, checkpointStep }) => ({
              value: id,
              label: `${name}${checkpointStep ? `, step ${checkpointStep}` : ''}`,
            })),
          ]}
          onChange={({ currentTarget: { value } }) =>
            useDraft.setState({ startFrom: value === NEW ? undefined : value })
          }
        />
      </div>
      <Offered />
    </>
  );
};
