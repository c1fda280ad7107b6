import { useLocation } from 'wouter';
import { MOST_CHANGES, rateChanges } from '../../../evaluate/rate-changes.ts';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import { draftOf, replaceDraft } from '../store/train-draft.ts';
import { useTrain } from '../store/train-store.ts';

/** The form with these settings; nothing for those of a recipe that is not known. */
const Open = ({ settings, name }: { settings: RunRecord['settings']; name: string }) => {
  const [, go] = useLocation();
  const draft = draftOf(settings, '');
  return draft ? (
    <button
      type="button"
      className="link"
      onClick={() => {
        replaceDraft(draft);
        go('/train?new=1');
      }}
    >
      {name}
    </button>
  ) : null;
};

/**
 * Opens the form with a run's settings. They have the rate that it began with, which a run of the same settings begins
 * with too; where that was changed on the way, both rates are offered by name.
 */
export const Again = ({ run }: { run: RunRecord }) => {
  const steps = useTrain((state) => state.steps[run.id]);
  const { settings } = run;
  const changes = rateChanges(settings, steps ?? []);
  const last = changes.length > MOST_CHANGES ? undefined : changes.at(-1);
  const { optimizer } = settings;
  return (
    <>
      <Open settings={settings} name="New run with these settings" />
      {last && draftOf(settings, '') ? (
        <>
          {' '}
          <span className="fine">
            It begins with the learning rate {optimizer.learningRate}, as this one did; this one
            trained at {last.to} from step {last.step} on.
          </span>{' '}
          <Open
            settings={{ ...settings, optimizer: { ...optimizer, learningRate: last.to } }}
            name={`New run with the rate ${last.to}`}
          />
        </>
      ) : null}
    </>
  );
};
