import { useMemo } from 'react';
import { toSpell, withTexts } from '../../../../evaluate/rollouts/reading/spell.ts';
import type { Reading, Spelled } from '../../../../lab/contract/rollouts.ts';
import { useAnswer, type Loaded } from '../../../kit/use-answer.ts';
import { rollouts } from '../store/api.ts';

/** Asks for the texts of tokens that the file has only ids of. Until they arrive the reading is returned as it was. */
export const useTokenTexts = (reading: Reading): { reading: Reading; spelled: Loaded<Spelled> } => {
  const { file, row, rollout } = reading;
  const key = toSpell(rollout) === 0 ? null : `${file.id} ${rollout.id}`;
  const spelled = useAnswer(key, () =>
    rollouts().spell(file.id, { chunk: row.chunk, index: row.index }),
  );
  const pieces =
    spelled.state === 'ready' && spelled.value.status === 'spelled' ? spelled.value.pieces : null;
  const texts = useMemo(
    () => (pieces ? { ...reading, rollout: withTexts(rollout, pieces) } : reading),
    [reading, rollout, pieces],
  );
  return { reading: texts, spelled };
};

/** Why tokens have no texts and how to get them; null where they have texts or these are being read. */
export const missingWords = (spelled: Loaded<Spelled>): string | null => {
  if (spelled.state === 'failed')
    return `The texts of the tokens could not be read: ${spelled.message}`;
  if (spelled.state === 'loading' || spelled.value.status !== 'missing') return null;
  const { policy, other } = spelled.value;
  if (policy === null)
    return 'The file has token ids but does not name their tokenizer. Each segment is shown as text, not by token.';
  return `These are token ids of ${policy}. ${
    other
      ? 'A model of that name is here, but it is another revision and tokenizes differently.'
      : 'Its tokenizer is not on this device.'
  } Add that checkpoint on Models to see each token; until then each segment is shown as text.`;
};
