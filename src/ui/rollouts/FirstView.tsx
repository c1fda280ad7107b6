import type { ReactNode } from 'react';
import { IMPORTERS } from '../../formats/rollouts/importers/list.ts';
import { PROTOCOLS } from '../../formats/rollouts/protocols/catalogue.ts';
import type { Protocol } from '../../formats/rollouts/protocols/protocol.ts';
import { DescribedList } from '../kit/page/DescribedList.tsx';
import { VIEWS } from './reader/store/address.ts';
import { OpenButtons } from './Shell.tsx';

/** The entrance of somebody who has files of another system, before any of them was read. */

/** What a file that was read can be asked. */
const OPENED = [
  ['Table', 'all rollouts, with filters, and why the wrong ones failed'],
  ['Reader', `one rollout: ${Object.values(VIEWS).join(', ').toLowerCase()}`],
  ['Rewards', 'every reward function on these rollouts, and where two disagree'],
  ['Compare', 'two files on the questions they share'],
  ['Export', 'the filtered rollouts as JSON lines, CSV, Markdown or LaTeX'],
] as const;

/** The marks around the blocks that the policy writes, as they open. */
const marksOf = ({ blocks }: Protocol): string =>
  [...new Set(blocks.filter(({ source }) => source === 'policy').map(({ open }) => open))].join(
    ' ',
  );

/** Which records are distinguished by which keys. */
const Layouts = () => (
  <section aria-labelledby="layouts">
    <h2 id="layouts">File formats (recognised by keys)</h2>
    <dl className="layouts">
      {IMPORTERS.map(({ id, name, keys }) => (
        <div key={id}>
          <dt>{name}</dt>
          <dd>
            <code>{keys.join(', ')}</code>
          </dd>
        </div>
      ))}
    </dl>
  </section>
);

/** What the policy of a published system writes. */
const Protocols = () => (
  <section aria-labelledby="protocols">
    <h2 id="protocols">Prompt formats (recognised by tags)</h2>
    <dl className="layouts">
      {PROTOCOLS.map((protocol) => (
        <div key={protocol.id}>
          <dt>{protocol.name}</dt>
          <dd>
            {marksOf(protocol) === '' ? (
              'no tags; recognised by its wording'
            ) : (
              <code>{marksOf(protocol)}</code>
            )}
          </dd>
        </div>
      ))}
    </dl>
  </section>
);

/**
 * Which files can be read, what they open to, and that they stay here.
 * @param props.own what was made in this browser, which may be read at once
 */
export const FirstView = ({ own }: { own: ReactNode }) => (
  <section className="empty-place">
    <div>
      <p>
        Drop files of rollouts here, or choose them: logs and dumps of the trainers and tools listed
        below, or Forage’s own JSON lines; gzip is fine. A folder, or a trainer’s file per step, is
        read as one run. Nothing leaves this browser.
      </p>
      <OpenButtons primary />
      {own}
      <DescribedList title="What you can see" entries={OPENED} />
    </div>
    <div className="readable">
      <Layouts />
      <Protocols />
    </div>
  </section>
);
