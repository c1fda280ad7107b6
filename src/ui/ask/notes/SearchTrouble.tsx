import { useDeferredValue, useMemo } from 'react';
import { Link } from 'wouter';
import { plural } from '../../kit/words/format.ts';
import { runFromStart } from '../store/actions.ts';
import { isRunning, useAsk } from '../store/ask-store.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { searchTroubles } from './search-troubles.ts';

/** Failed searches of the current run, their effect, and what to do. */
export const SearchTrouble = () => {
  // Deferred: the table changes with every token.
  const table = useDeferredValue(useAsk((state) => state.table));
  const running = useAsk((state) => isRunning(state.run));
  const web = useAsk((state) => state.request?.setup.web);
  const { count, ofWeb, reasons } = useMemo(
    () => searchTroubles(Object.values(table.byId)),
    [table],
  );
  if (count === 0) return null;
  // Only a custom server can be fixed by the user, not the built-in web.
  const named = ofWeb && web && 'url' in web ? web : null;
  const useBuiltIn = () => {
    useSetup.getState().change({ web: { kind: 'built-in' } });
    void runFromStart();
  };
  return (
    <div className="note search-trouble" role="status">
      <b className="tone-bad">⚠ {plural(count, 'fault')} while searching.</b> The rollouts continued
      without these results, and are kept.
      <ul>
        {reasons.map(({ text, times }) => (
          <li key={text}>
            {text}
            {times > 1 ? <span className="fine"> ×{times}</span> : null}
          </li>
        ))}
      </ul>
      {named ? (
        <>
          Check that the server at {new URL(named.url).host} runs and{' '}
          <Link href="/corpus#web-source">test the connection</Link>; then{' '}
        </>
      ) : (
        'Once it works, '
      )}
      <button type="button" className="link" disabled={running} onClick={() => void runFromStart()}>
        run again
      </button>
      {named ? (
        <>
          , or{' '}
          <button type="button" className="link" disabled={running} onClick={useBuiltIn}>
            run with the built-in web
          </button>
        </>
      ) : null}
      .
    </div>
  );
};
