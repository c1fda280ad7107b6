import { Link, useParams } from 'wouter';
import { filePath } from '../stores/browse-address.ts';

/** One rollout. */
const ReaderPage = () => {
  const { fileId, rolloutId } = useParams<{ fileId: string; rolloutId: string }>();
  return (
    <main className="page" tabIndex={-1}>
      <h1>{rolloutId}</h1>
      <p>
        <Link href={filePath(fileId, location.search)}>Back to the table</Link>
      </p>
    </main>
  );
};

export default ReaderPage;
