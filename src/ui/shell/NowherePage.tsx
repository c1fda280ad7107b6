import { Link } from 'wouter';
import { ASK } from '../ask/store/permalink.ts';

/** The page for unknown addresses. */
const NowherePage = () => (
  <main className="page">
    <h1>Page not found</h1>
    <p>No page has this address.</p>
    <p>
      <Link href={ASK}>Go to Ask</Link>
    </p>
  </main>
);

export default NowherePage;
