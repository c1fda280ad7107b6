import type { ReactNode } from 'react';
import { ErrorBoundary, type FallbackProps } from 'react-error-boundary';
import { messageOf } from '../../../base/errors.ts';
import { CopyButton } from '../CopyButton.tsx';
import { Waiting } from './on-demand.tsx';

/**
 * Error boundary: without one React unmounts the whole page when a component throws, which also
 * happens when a script fails to load.
 */

/** How Chromium, Firefox and WebKit report a failed script, and Vite a failed stylesheet. */
const NOT_LOADED =
  /dynamically imported module|Importing a module script failed|Unable to preload CSS/i;

/** The content of an error report; the stack names the files of this build. */
const reportOf = (error: unknown): string =>
  [
    `Forage ${import.meta.env.VITE_VERSION}, ${location.href}`,
    navigator.userAgent,
    (error instanceof Error && error.stack) || messageOf(error),
  ].join('\n');

interface FaultProps {
  name: string;
  error: unknown;
  reset: () => void;
  hide?: () => void;
}

/** Why something is not shown, and what can be done. */
const Fault = (props: FaultProps) => {
  const { name, error, reset, hide } = props;
  const lost = NOT_LOADED.test(messageOf(error));
  return (
    <div className="failure" role="alert" data-testid="fault">
      <b>
        ⚠ {name} could not be {lost ? 'loaded' : 'shown'}
      </b>
      <p>
        {lost
          ? 'One of its files could not be loaded: the server is unreachable or has a newer version. Reload the page once it is reachable; this stops what is running here.'
          : `${messageOf(error)}. Stored data is unchanged, and running work continues until you reload the page.`}
      </p>
      <div className="failure-actions">
        {/* Browsers do not request a failed script again on the same page. */}
        {lost ? null : (
          <button type="button" className="link" onClick={reset}>
            Try again
          </button>
        )}
        <button type="button" className="link" onClick={() => location.reload()}>
          {' '}
          Reload the page{' '}
        </button>
        <CopyButton label="Copy details" text={() => reportOf(error)} />
        {hide ? (
          <button type="button" className="link" onClick={hide}>
            Hide
          </button>
        ) : null}
      </div>
    </div>
  );
};

interface GuardedProps {
  /** The part, as the start of a sentence: "This picture". */
  name: string;
  /** Shown while its files load. */
  loading?: ReactNode;
  /** Retried when one of these changes. */
  resetKeys?: readonly unknown[];
  /** Wrapper around the failure, such as a page. */
  around?: (fault: ReactNode) => ReactNode;
  /** Closes a part that can be dismissed. */
  hide?: () => void;
  children: ReactNode;
}

/** A part of the page that reports its failure and leaves the rest intact. */
export const Guarded = (props: GuardedProps) => {
  const { name, loading = null, resetKeys = [], around = (fault) => fault, hide } = props;
  const renderFault = ({ error, resetErrorBoundary }: FallbackProps) =>
    around(<Fault name={name} error={error} reset={resetErrorBoundary} hide={hide} />);
  return (
    <ErrorBoundary fallbackRender={renderFault} resetKeys={[...resetKeys]}>
      <Waiting value={loading}>{props.children}</Waiting>
    </ErrorBoundary>
  );
};
