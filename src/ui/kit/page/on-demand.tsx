import {
  createContext,
  useContext,
  useSyncExternalStore,
  type ComponentType,
  type ReactNode,
} from 'react';

/** What is where a file is on its way; `Guarded` says it for what is in it. */
export const Waiting = createContext<ReactNode>(null);

interface OnDemand<Props extends object> {
  (props: Props): ReactNode;
  /** Asks for its file, for a visit that is about to come. */
  readonly prepare: () => void;
}

type Arrived<Props> = { component: ComponentType<Props> } | { error: unknown };

/**
 * A component whose file is loaded when it is first drawn or prepared for. It is drawn as soon as the file is there:
 * `Suspense` holds back for 300 ms what takes the place of what it showed meanwhile, longer than most files take.
 *
 * A file that did not arrive is thrown where the component is drawn, every time: a page that is open does not ask for
 * a script twice.
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
