import { formOf } from '../../../records/built-in-forms.ts';
import { takeSecondForm, useSetup } from '../setup-store.ts';

/** Said where an address or a run of the time of the first world is open, with the way back to what is built in now. */
export const FirstFormNote = () => {
  const first = useSetup(({ setup }) => formOf(setup) === 1);
  if (!first) return null;
  return (
    <p className="note" role="status">
      What is open was made with the first form of the built-in world and the policy trained on it.
      It works with these, so that it repeats.{' '}
      <button type="button" className="link" onClick={takeSecondForm}>
        Use today’s world and policy
      </button>
    </p>
  );
};
