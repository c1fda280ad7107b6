import { Button } from '@mantine/core';
import { startRun } from '../store/actions.ts';
import { linkWords } from '../store/link-setup.ts';
import { keepOwnSetup, takeLinkedSetup } from '../store/linked-setup.ts';
import { useAsk } from '../store/ask-store.ts';

/** Applies the decision, then starts the run that the address asks for. */
const decide = (act: () => void): void => {
  act();
  const { address } = useAsk.getState();
  if (address.run && address.asked) void startRun();
};

/** For an address whose run used another model or other data than chosen on this device. */
export const LinkedSetupNote = () => {
  const { status, own, missing } = useAsk(({ linkedSetup }) => linkedSetup);
  const link = useAsk(({ address }) => address.setup);
  const runs = useAsk(({ address }) => address.run);
  if (status === 'checking')
    return (
      <p className="note" role="status">
        Checking whether this device has the model and data of this link …
      </p>
    );
  if (status === 'same') return null;
  const here = linkWords(own);
  // Both lists have the parts in the same order.
  const differing = linkWords(link).flatMap(({ part, words }, i) =>
    words === here[i]?.words ? [] : [{ part, words, own: here[i]?.words ?? '' }],
  );
  const then = runs ? ' and run' : '';
  return (
    <div className="note linked-setup" role="status">
      <b>This link uses another model or other data than chosen here.</b>
      {differing.length === 0 ? (
        <p>The names are the same, but the contents differ.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">part</th>
              <th scope="col">in the link</th>
              <th scope="col">chosen here</th>
            </tr>
          </thead>
          <tbody>
            {differing.map(({ part, words, own: mine }) => (
              <tr key={part}>
                <th scope="row">{part}</th>
                <td>{words}</td>
                <td>{mine}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {missing.length > 0 ? (
        <>
          <p className="tone-bad">⚠ Not on this device:</p>
          <ul>
            {missing.map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        </>
      ) : null}
      <div className="failure-actions">
        <Button
          size="xs"
          variant={missing.length > 0 ? 'default' : 'filled'}
          onClick={() => decide(takeLinkedSetup)}
        >
          {missing.length > 0 ? `Use the parts that are here${then}` : `Use the link’s${then}`}
        </Button>
        <Button size="xs" variant="default" onClick={() => decide(keepOwnSetup)}>
          {`Keep what is chosen here${then}`}
        </Button>
      </div>
    </div>
  );
};
