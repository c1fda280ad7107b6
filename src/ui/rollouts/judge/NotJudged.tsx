import { Link } from 'wouter';
import { MOST_NOT_JUDGED, type Judging } from '../../../lab/contract/records/rollout-files.ts';
import { formatCount } from '../../kit/words/format.ts';
import { Table, type Head } from '../../kit/Table.tsx';
import { readerPath } from '../store/browse-address.ts';

const REASON_HEADS: readonly Head[] = [['rollout'], ['why there is no verdict']];

/** Rollouts without a verdict, with the reason. A full list says that there may be more. */
export const NotJudged = (props: {
  judging: Pick<Judging, 'notJudged'>;
  fileId: string;
  search: string;
}) => {
  const { notJudged } = props.judging;
  if (notJudged.length === 0) return null;
  return (
    <section aria-label="Not judged">
      <h2>
        Not judged: {formatCount(notJudged.length)}
        {notJudged.length < MOST_NOT_JUDGED ? '' : ' or more, the first of them'}
      </h2>
      <Table heads={REASON_HEADS} className="plain-table">
        {notJudged.map(({ rollout, reason }) => (
          <tr key={rollout}>
            <td>
              <Link href={readerPath(props.fileId, rollout, props.search)}>{rollout}</Link>
            </td>
            <td>{reason}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
};
