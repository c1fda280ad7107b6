import { useDebouncedValue } from '@mantine/hooks';
import { describeUnknown } from '../../../agent/answers/unknown-names.ts';
import { useAnswer } from '../../kit/use-answer.ts';
import { lab } from '../../lab/connection.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { useView } from '../store/view-store.ts';

/** How long nothing was typed before a question is looked up, ms. */
const STILL_MS = 400;

/** Names of a question that is being typed which no passage mentions: said before it is asked. */
export const PosedNames = ({ text }: { text: string }) => {
  const settings = useView((state) => state.address.settings);
  const setup = useSetup((state) => state.setup);
  const posed = text.trim();
  const [still] = useDebouncedValue(posed, STILL_MS);
  const { recipe, mechanisms } = settings;
  const searched = [recipe, mechanisms, setup.local, setup.web, setup.source];
  const looked = useAnswer(still === '' ? null : JSON.stringify([still, searched]), () =>
    lab().ask.unknownNames(still, settings, setup),
  );
  const names = looked.state === 'ready' && still === posed ? looked.value : [];
  return names.length === 0 ? null : (
    <p className="note" role="status" data-testid="posed-names">
      {describeUnknown(names)}
    </p>
  );
};
