import { useMemo } from 'react';
import { verdictsFor } from '../../../../evaluate/study/signatures/measured.ts';
import { Terms } from '../../../kit/words/explain/Term.tsx';
import { plural } from '../../../kit/words/format.ts';
import { RecipeSentence } from '../../../setup/form/RecipeSentence.tsx';
import {
  switchStates,
  withSwitchOn,
  withSwitchOut,
  type SwitchState,
} from '../../store/published-switches.ts';
import { useTrainForm, editDraft } from '../../store/train-draft.ts';
import { AboutPaper } from '../../../setup/form/AboutPaper.tsx';

const titlesOf = (switches: SwitchState['inPlaceOf']): string =>
  switches.map(({ title }) => title).join(' and ');

/** A switch: what its paper does, whether it is on, why it cannot be put on, and what was measured of it. */
const SwitchRow = ({ one, on, inPlaceOf, refused }: SwitchState) => {
  const { id, title, about } = one;
  const measured = verdictsFor(id).filter(({ outcome }) => outcome !== 'not measured').length;
  const toggle = () =>
    editDraft((draft) => (on ? withSwitchOut(draft, one) : withSwitchOn(draft, one)));
  return (
    <li className={on ? 'published-switch on' : 'published-switch'} data-switch={id}>
      <p className="published-switch-head">
        <b>
          <Terms>{title}</Terms>
        </b>
        {on ? <span className="badge good">on</span> : null}
        <button
          type="button"
          className="link"
          aria-label={`${on ? 'Take out' : 'Put on'}: ${title}`}
          disabled={refused !== null}
          onClick={toggle}
        >
          {on ? 'Take out' : 'Put on'}
        </button>
      </p>
      <p>
        <RecipeSentence recipe={one} />
      </p>
      {refused !== null ? (
        <p className="fine">{refused}</p>
      ) : inPlaceOf.length > 0 ? (
        <p className="fine">Would take the place of {titlesOf(inPlaceOf)}.</p>
      ) : null}
      <details>
        <summary>
          {plural(about.differences.length, 'difference')};{' '}
          {measured === 0 ? 'not measured here' : `${plural(measured, 'claim')} measured here`}
        </summary>
        <AboutPaper id={id} about={about} />
      </details>
    </li>
  );
};

/** What papers change in how any system is trained, by name: each goes over the settings of the form, and out again. */
export const PublishedSwitches = () => {
  const draft = useTrainForm((form) => form.draft);
  const states = useMemo(() => switchStates(draft), [draft]);
  return (
    <section className="whole-row published-switches" aria-label="Switches of papers">
      <p className="fine">
        What papers change in how any system is trained. Each goes over the settings of this form,
        those in other folds too; its settings can be changed there.
      </p>
      <ul>
        {states.map((state) => (
          <SwitchRow key={state.one.id} {...state} />
        ))}
      </ul>
    </section>
  );
};
