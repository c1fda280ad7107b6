import { useDebouncedValue } from '@mantine/hooks';
import { describeUnknown } from '../../../agent/answers/unknown-names.ts';
import { useAnswer } from '../../kit/use-answer.ts';
import { lab } from '../../lab/connection.ts';
import { useSession } from '../../kit/session-store.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { useAsk } from '../store/ask-store.ts';

/** Idle time before a typed or chosen question is nameCheck up, ms. */
const STILL_MS = 400;

/**
 * The question to check, if its passages may not know it; empty if it comes from the same world: a
 * look-up would fetch shards of the web index, whose loading belongs to the measured search latency.
 */
const useQuestionText = (): string => {
  const asked = useAsk((state) => state.address.asked);
  const foreign = useSetup(
    ({ setup }) => setup.questions.kind !== 'built-in' || setup.local.kind !== 'built-in',
  );
  const row = useSession(({ questions }) =>
    foreign && asked?.kind === 'world' ? questions.find(({ id }) => id === asked.id) : undefined,
  );
  return (asked?.kind === 'typed' ? asked.text : (row?.text ?? '')).trim();
};

/** Names in the typed or chosen question that no passage mentions, shown before it is asked. */
export const QuestionNameCheck = () => {
  const settings = useAsk((state) => state.address.settings);
  const setup = useSetup((state) => state.setup);
  const questionText = useQuestionText();
  const [still] = useDebouncedValue(questionText, STILL_MS);
  const { recipe, mechanisms } = settings;
  const searched = [recipe, mechanisms, setup.local, setup.web, setup.source];
  const nameCheck = useAnswer(still === '' ? null : JSON.stringify([still, searched]), () =>
    lab().ask.unknownNames(still, settings, setup),
  );
  const names = nameCheck.state === 'ready' && still === questionText ? nameCheck.value : [];
  return names.length === 0 ? null : (
    <p className="note" role="status" data-testid="question-names">
      {describeUnknown(names, setup.local.kind === 'built-in')}
    </p>
  );
};
