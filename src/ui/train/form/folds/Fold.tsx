import { type ReactNode, startTransition, useSyncExternalStore, useEffect, useState } from 'react';
import type { TrainSettings } from '../../../../recipes/parts/training.ts';
import { useTrainForm } from '../../store/train-draft.ts';
import { useErrors, useSettings } from '../fields/fields.tsx';
import { useFold } from '../../../kit/page/use-fold.ts';

const never = (): (() => void) => () => undefined;

/** Whether a page renders at once (server-rendered or tests) and not in parts. */
const useAtOnce = (): boolean =>
  useSyncExternalStore(
    never,
    () => false,
    () => true,
  );

/** WebKit has no `requestIdleCallback`; a task is used instead. */
const whenIdle = (work: () => void): (() => void) => {
  if (!globalThis.requestIdleCallback) {
    const timer = setTimeout(work, 50);
    return () => clearTimeout(timer);
  }
  const request = requestIdleCallback(work, { timeout: 1000 });
  return () => cancelIdleCallback(request);
};

/**
 * Whether to render content that is still hidden: false until the browser is idle. It is rendered
 * early, so that find-in-page works.
 */
const useIdle = (): boolean => {
  const atOnce = useAtOnce();
  const [idle, setIdle] = useState(false);
  useEffect(() => whenIdle(() => startTransition(() => setIdle(true))), []);
  return atOnce || idle;
};

/** How many of the settings below these paths differ from the recipe’s, or are not allowed. */
const useMarks = (paths: readonly string[]) => {
  const below = (key: string) => paths.some((path) => key === path || key.startsWith(`${path}.`));
  const changed = useTrainForm(({ draft }) => Object.keys(draft.changes).filter(below).length);
  const wrong = Object.keys(useErrors()).filter(below).length;
  return { changed, wrong };
};

/** A part of the form that a recipe usually leaves alone; unfolded where there is room. */
export const Fold = (props: {
  name: string;
  /** Paths of the settings that its fields change, and all below them. */
  paths: readonly string[];
  /** The values in a few words, while it is folded. */
  now: (settings: TrainSettings) => string;
  children: ReactNode;
}) => {
  const settings = useSettings();
  const { changed, wrong } = useMarks(props.paths);
  const { open, onToggle } = useFold();
  const shown = open || wrong > 0;
  // Two thirds of the form are folded: they do not hold up what is seen.
  const idle = useIdle();
  return (
    <details
      className="fold"
      // What is not allowed has to be seen.
      open={shown}
      onToggle={onToggle}
    >
      <summary>
        {props.name}
        {settings ? <span className="fold-now">{props.now(settings)}</span> : null}
        {changed > 0 ? <span className="tone-policy"> · {changed} changed</span> : null}
        {wrong > 0 ? <span className="tone-bad"> · ⚠ not allowed yet</span> : null}
      </summary>
      <div className="form-fields">{shown || idle ? props.children : null}</div>
    </details>
  );
};
