import type { HereQuestion, TypeNeed } from '../../../policy/open/fit-here.ts';
import { formatBytes, formatCount } from '../../kit/words/format.ts';
import { useFit } from './use-fit.ts';
import { verdictWords, type VerdictWords } from './verdict-words.ts';
import { Terms } from '../../kit/words/explain/Term.tsx';

const BADGES = { good: 'badge good', hint: 'badge hint', bad: 'badge bad' } as const;

/** "fits", "too big: needs 9.9 GB, this device gives 8.59 GB", "needs WebGPU", with the details. */
const Verdict = ({ words: { tone, badge, more } }: { words: VerdictWords }) => (
  <p className="fit-verdict" data-verdict={tone}>
    <span className={BADGES[tone]}>
      <Terms>{badge}</Terms>
    </span>{' '}
    <span className="fine">{more}</span>
  </p>
);

/** Memory by weight type; types that do not fit are marked with a symbol. */
const Memory = ({ needs }: { needs: readonly TypeNeed[] }) => (
  <dl className="memory-types">
    {needs.map(({ type, weightBytes, totalBytes, slots }) => (
      <div
        key={type}
        title={`${formatBytes(weightBytes)} of weights as ${type}; ${formatBytes(totalBytes)} in all with ${formatCount(Math.max(1, slots))} rollouts in parallel`}
      >
        <dt>{type}</dt>
        <dd className={slots === 0 ? 'tone-bad' : undefined}>
          {slots === 0 ? '⚠ ' : ''}
          {formatBytes(weightBytes)}
          <span className="visually-hidden">{slots === 0 ? ', does not fit' : ', fits'}</span>
        </dd>
      </div>
    ))}
  </dl>
);

/** Whether a checkpoint fits this device, and its memory by weight type. */
export const FitLine = ({
  question,
  types = false,
}: {
  question: HereQuestion;
  /** Whether to show the memory. */
  types?: boolean;
}) => {
  const counted = useFit(question);
  if (!counted) return <p className="fine">Estimating the memory it needs …</p>;
  if (!counted.fit)
    return <p className="fine tone-bad">⚠ This model cannot run here. {counted.problem}</p>;
  const { fit, limits } = counted;
  return (
    <>
      {types ? (
        <>
          <p className="fine memory-head">memory for the weights</p>
          <Memory needs={fit.needs} />
        </>
      ) : null}
      <Verdict words={verdictWords(fit, limits)} />
    </>
  );
};
