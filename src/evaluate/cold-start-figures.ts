import type { ColdStartPoint } from '../records/training.ts';

/** What one evaluation of a cold start measured, as text, in the order in which it is shown. */
export function coldStartFigures({
  epoch,
  loss,
  heldOutLoss,
  answers,
  tokens,
  seconds,
}: ColdStartPoint): { name: string; value: string }[] {
  const figure = (name: string, value: string | null) => (value === null ? [] : [{ name, value }]);
  return [
    ...figure('epoch', epoch.toFixed(2)),
    ...figure('loss', loss === null ? null : loss.toFixed(3)),
    ...figure('held-out loss', heldOutLoss === null ? null : heldOutLoss.toFixed(3)),
    ...(answers
      ? [
          ...figure('format', `${(100 * answers.formatValid).toFixed(0)} %`),
          ...figure('searches', answers.searches.toFixed(2)),
          ...figure('EM', answers.em.toFixed(3)),
          ...figure('F1', answers.f1.toFixed(3)),
        ]
      : []),
    ...figure('tokens/s', seconds > 0 ? (tokens / seconds).toFixed(0) : null),
  ];
}
