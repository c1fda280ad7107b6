import { useDebouncedValue } from '@mantine/hooks';
import { describeUnknown } from '../../../agent/answers/unknown-names.ts';
import { useAnswer } from '../../kit/use-answer.ts';
import { lab } from '../../lab/connection.ts';
import { useLab } from '../../lab/lab-store.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { useView } from '../store/view-store.ts';

/** Idle time before a typed or chosen question is looked up, ms. */
const STILL_MS = 400;

/**
 * The question to check, if its passages may not know it; empty if it comes from the same world: a
 * look-up would fetch shards of the web index, whose loading belongs to the measured search latency.
 */
const usePosed = (): string => {
  const asked = useView((state) => state.address.asked);
  const foreign = useSetup(
    ({ setup }) => setup.questions.kind !== 'built-in' || setup.local.kind !== 'built-in',
  );
  const row = useLab(({ questions }) =>
    foreign && asked?.kind === 'world' ? questions.find(({ id }) => id === asked.id) : undefined,
  );
  return (asked?.kind === 'typed' ? asked.text : (row?.text ?? '')).trim();
};

/** Names in the typed or chosen question that no passage mentions, shown before it is asked. */
export const PosedNames = () => {
  const settings = useView((state) => state.address.settings);
  const setup = useSetup((state) => state.setup);
  const posed = usePosed();
  const [still] = useDebouncedValue(posed, STILL_MS);
  const { recipe, mechanisms } = settings;
  const searched = [recipe, mechanisms, setup.local, setup.web, setup.source];
  const looked = useAnswer(still === '' ? null : JSON.stringify([still, searched]), () =>
    lab().ask.unknownNames(still, settings, setup),
  );
  const names = looked.state === 'ready' && still === posed ? looked.value : [];
  return names.length === 0 ? null : (
    <p className="note" role="status" data-testid="posed-names">
      {describeUnknown(names, setup.local.kind === 'built-in')}
    </p>
  );
};
