import { Link } from 'wouter';
import { useSession } from '../../kit/session-store.ts';
import { BuiltInReader } from '../../setup/form/BuiltInReader.tsx';
import { useSetup } from '../../setup/setup-store.ts';
import { showExample } from '../setup/SettingsForm.tsx';
import { policiesOf } from '../store/asked-policy.ts';
import { useAsk } from '../store/ask-store.ts';

/** Before a question is asked: what the model rarely does without an adapter, and two ways to have it. */
export const ModelNote = () => {
  const setup = useSetup((state) => state.setup);
  const sides = useAsk(({ address }) => address.sides);
  const { protocol } = useAsk(({ address }) => address.settings.mechanisms);
  const small = useSession(({ policy }) => (policy?.parameters ?? Infinity) < 3e9);
  const { policy, questions, local } = setup;
  const own = questions.kind === 'collections' || local.kind === 'collections';
  if (policiesOf(sides, setup)?.every(({ kind }) => kind === 'run')) return null;
  if (policy.kind === 'built-in') return own ? <BuiltInReader /> : null;
  return policy.kind === 'checkpoint' && small ? (
    <p className="note">
      {protocol === 'worked-example' ? (
        'The prompt shows one question worked out in two searches. '
      ) : (
        <>
          Small models rarely search as they are.{' '}
          <button type="button" className="link" onClick={showExample}>
            Show the model a worked example
          </button>
          , at temperature 0.{' '}
        </>
      )}
      A cold start teaches it. <Link href="/train">Make one</Link>
    </p>
  ) : null;
};
