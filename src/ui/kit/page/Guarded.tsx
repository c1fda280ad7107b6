import type { ReactNode } from 'react';
import { ErrorBoundary, type FallbackProps } from 'react-error-boundary';
import { messageOf } from '../../../base/errors.ts';
import { CopyButton } from '../CopyButton.tsx';
import { Waiting } from './on-demand.tsx';

/**
 * What keeps a fault where it is: React takes everything off the page where a component throws and nothing around
 * it catches that, and a file that does not arrive is thrown too.
 */

/** How Chromium, Firefox and WebKit say that a script did not arrive, and Vite that a stylesheet did not. */
const NOT_LOADED =
  /dynamically imported module|Importing a module script failed|Unable to preload CSS/i;

/** What an error report needs; the stack names the files of this build. */
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

/** Why something is not on the page, and what can be done. */
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
        {/* A script that did not arrive is not asked for a second time by a page that is open. */}
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
  /** What it is, as a sentence about it begins: "This picture". */
  name: string;
  /** Stands there while its files load. */
  loading?: ReactNode;
  /** It is tried again when one of these changes. */
  resetKeys?: readonly unknown[];
  /** What is around the failure: a page in place of a page. */
  around?: (fault: ReactNode) => ReactNode;
  /** Closes what can be done without. */
  hide?: () => void;
  children: ReactNode;
}

/** A part of the page that says so where it fails, and leaves the rest as it is. */
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
