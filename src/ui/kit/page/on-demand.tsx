import {
  createContext,
  useContext,
  useSyncExternalStore,
  type ComponentType,
  type ReactNode,
} from 'react';

/** Placeholder while a file loads; `Guarded` sets it. */
export const Waiting = createContext<ReactNode>(null);

interface OnDemand<Props extends object> {
  (props: Props): ReactNode;
  /** Preloads the file. */
  readonly prepare: () => void;
}

type Arrived<Props> = { component: ComponentType<Props> } | { error: unknown };

/**
 * A component whose file is loaded when it is first rendered or preloaded. It renders as soon as the
 * file is there: `Suspense` would delay replacing its fallback by 300 ms, longer than most files take.
 * A failed load throws on every render, because browsers do not request a script twice.
 */
export const onDemand = <Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): OnDemand<Props> => {
  let arrived: Arrived<Props> | null = null;
  let asked = false;
  const waiting = new Set<() => void>();
  const settle = (what: Arrived<Props>): void => {
    arrived = what;
    for (const tell of waiting) tell();
  };
  const prepare = (): void => {
    if (asked) return;
    asked = true;
    load().then(
      (file) => settle({ component: file.default }),
      (error: unknown) => settle({ error }),
    );
  };
  const watch = (tell: () => void): (() => void) => {
    waiting.add(tell);
    return () => waiting.delete(tell);
  };
  const read = (): Arrived<Props> | null => arrived;
  const Shown = (props: Props): ReactNode => {
    const now = useSyncExternalStore(watch, read, read);
    const meanwhile = useContext(Waiting);
    if (!now) {
      prepare();
      return meanwhile;
    }
    if ('error' in now) throw now.error;
    return <now.component {...props} />;
  };
  return Object.assign(Shown, { prepare });
};
