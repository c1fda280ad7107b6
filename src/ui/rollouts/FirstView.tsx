import type { ReactNode } from 'react';
import { IMPORTERS } from '../../formats/rollouts/importers/list.ts';
import { PROTOCOLS } from '../../formats/rollouts/protocols/catalogue.ts';
import type { Protocol } from '../../formats/rollouts/protocols/protocol.ts';
import { DescribedList } from '../kit/page/DescribedList.tsx';
import { VIEWS } from './reader/store/address.ts';
import { OpenButtons } from './Shell.tsx';

/** Start page for users with files of another system, before any was imported. */

/** What can be done with an imported file. */
const OPENED = [
  ['Table', 'all rollouts, with filters, and why the wrong ones failed'],
  ['Reader', `one rollout: ${Object.values(VIEWS).join(', ').toLowerCase()}`],
  ['Rewards', 'every reward function on these rollouts, and where two disagree'],
  ['Compare', 'two files on the questions they share'],
  ['Export', 'the filtered rollouts as JSON lines, CSV, Markdown or LaTeX'],
] as const;

/** The opening tags of the blocks that the policy writes. */
const marksOf = ({ blocks }: Protocol): string =>
  [...new Set(blocks.filter(({ source }) => source === 'policy').map(({ open }) => open))].join(
    ' ',
  );

/** File formats and the keys that identify them. */
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

/** Prompt formats of published systems. */
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
 * Supported files, their views, and that they stay here.
 * @param props.own data of this browser that can be opened at once
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
