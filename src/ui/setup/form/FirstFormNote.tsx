import { formOf } from '../../../records/built-in-forms.ts';
import { takeSecondForm, useSetup } from '../setup-store.ts';

/** Said where an address or a run of the time of the first world is open, with the way back to what is built in now. */
export const FirstFormNote = () => {
  const first = useSetup(({ setup }) => formOf(setup) === 1);
  if (!first) return null;
  return (
    <p className="note" role="status">
      This was made with version 1 of the encyclopedia and its model; both are loaded so that the
      result repeats.{' '}
      <button type="button" className="link" onClick={takeSecondForm}>
        Use the current encyclopedia and model
      </button>
    </p>
  );
};
