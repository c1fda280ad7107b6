import { BuiltInReader } from '../../setup/form/BuiltInReader.tsx';
import { useSetup } from '../../setup/setup-store.ts';
import { policiesOf } from '../policies/asked-policy.ts';
import { useView } from '../store/view-store.ts';

/** Warns before a custom question is asked with the built-in policy; an adapter may have learned to answer it. */
export const BuiltInReaderNote = () => {
  const setup = useSetup((state) => state.setup);
  const sides = useView(({ address }) => address.sides);
  const { policy, questions, local } = setup;
  const adapted = policiesOf(sides, setup)?.every(({ kind }) => kind === 'run') ?? false;
  const own = questions.kind === 'collections' || local.kind === 'collections';
  return policy.kind === 'built-in' && own && !adapted ? <BuiltInReader /> : null;
};
