import type { CheckpointFacts } from '../../../lab/contract/checkpoints.ts';
import type { GgufTypes } from '../../../lab/contract/records/checkpoints.ts';
import { formatCount } from '../../kit/words/format.ts';

/** A fact as text; omitted if its config lacks it. */
const known = (value: number | null, write: (value: string) => string): string[] =>
  value === null ? [] : [write(formatCount(value))];

/** The shape of a model in one line. */
export const ConfigFacts = ({ facts }: { facts: CheckpointFacts }) => {
  const parts = [
    facts.family ?? 'unknown family',
    ...known(facts.layers, (n) => `${n} layers`),
    ...known(facts.hidden, (n) => `hidden ${n}`),
    ...known(facts.vocab, (n) => `vocabulary ${n}`),
    ...known(facts.context, (n) => `context ${n} tokens`),
    ...(facts.dtype === null ? [] : [facts.dtype]),
  ];
  return <p className="fine">{parts.join(' · ')}</p>;
};

/** Types of the matrices of a GGUF file, the most frequent first, and what they are held in. */
export const GgufLine = ({ gguf: { stored, held } }: { gguf: GgufTypes }) => {
  const types = Object.entries(stored).toSorted((a, b) => b[1] - a[1]);
  return (
    <p className="fine">
      GGUF · matrices stored as {types.map(([type, count]) => `${type} (${count})`).join(', ')} ·
      held as {held}
    </p>
  );
};
