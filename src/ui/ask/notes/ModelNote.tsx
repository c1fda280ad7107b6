import { Link } from 'wouter';
import { useLab } from '../../lab/lab-store.ts';
import { BuiltInReader } from '../../setup/form/BuiltInReader.tsx';
import { useSetup } from '../../setup/setup-store.ts';
import { policiesOf } from '../policies/asked-policy.ts';
import { useView } from '../store/view-store.ts';

/** Before a question is asked: what the model rarely does without an adapter. */
export const ModelNote = () => {
  const setup = useSetup((state) => state.setup);
  const sides = useView(({ address }) => address.sides);
  const small = useLab(({ policy }) => (policy?.parameters ?? Infinity) < 3e9);
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
