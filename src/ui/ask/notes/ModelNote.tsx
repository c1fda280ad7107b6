import { Link } from 'wouter';
import { useSession } from '../../kit/session-store.ts';
import { BuiltInReader } from '../../setup/form/BuiltInReader.tsx';
import { useSetup } from '../../setup/setup-store.ts';
import { policiesOf } from '../store/asked-policy.ts';
import { useAsk } from '../store/ask-store.ts';

/** Before a question is asked: what the model rarely does without an adapter. */
export const ModelNote = () => {
  const setup = useSetup((state) => state.setup);
  const sides = useAsk(({ address }) => address.sides);
  const small = useSession(({ policy }) => (policy?.parameters ?? Infinity) < 3e9);
  const { policy, questions, local } = setup;
  const own = questions.kind === 'collections' || local.kind === 'collections';
  if (policiesOf(sides, setup)?.every(({ kind }) => kind === 'run')) return null;
  if (policy.kind === 'built-in') return own ? <BuiltInReader /> : null;
  return policy.kind === 'checkpoint' && small ? (
    <p className="note">
      Small models rarely search before a cold start. <Link href="/train">Make one</Link>
    </p>
  ) : null;
};
