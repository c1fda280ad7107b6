import { Link } from 'wouter';
import { ASK } from '../ask/store/permalink.ts';

/** Places that are planned and not built: what will be there, and what can be done meanwhile. */
const LATER: Record<string, { name: string; text: string; meanwhile: string }> = {
  evaluate: {
    name: 'Evaluate',
    text: 'Recipes side by side over many questions: EM, F1 and recall with intervals, by hops and type, and ablations of each mechanism.',
    meanwhile:
      'The command line does it today: npm run -s lab -- rollout --recipe search --split test --limit 300.',
  },
};

const LaterPage = ({ page }: { page: string }) => {
  // The page is whatever stands in the address, `constructor` too.
  const later = Object.hasOwn(LATER, page) ? LATER[page] : undefined;
  return (
    <main className="page">
      <h1>{later?.name ?? 'Nothing is here'}</h1>
      {later ? (
        <>
          <p>
            <b>Not built yet.</b> {later.text}
          </p>
          <p>{later.meanwhile}</p>
        </>
      ) : (
        <p>No place of the workbench has this address.</p>
      )}
      <p>
        <Link href={ASK}>Go to Ask</Link>
      </p>
    </main>
  );
};

export default LaterPage;
