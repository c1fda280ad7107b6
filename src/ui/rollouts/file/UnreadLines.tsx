import type { FileRecord } from '../../../lab/contract/records/rollout-files.ts';
import { formatCount, plural } from '../../kit/words/format.ts';

/** Lines of the file that could not be read, with their numbers and why. */
export const UnreadLines = ({ file }: { file: FileRecord }) => (
  <section className="browse-body" aria-label="Unreadable lines">
    <p>
      {file.faultCount === 0
        ? 'Every line of the file was read.'
        : `${plural(file.faultCount, 'line')} could not be read; the other ${formatCount(file.rollouts)} are here.`}
      {file.faultCount > file.faults.length
        ? ` The first ${formatCount(file.faults.length)} are listed.`
        : ''}
    </p>
    <table className="list-table">
      <tbody>
        {file.faults.map(({ file: name, line, reason }) => (
          <tr key={`${name} ${line} ${reason}`}>
            <th scope="row" className="figure">
              {name} {line === 0 ? '' : `line ${formatCount(line)}`}
            </th>
            <td className="free">{reason}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
