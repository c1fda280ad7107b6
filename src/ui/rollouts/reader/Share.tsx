import { useState } from 'react';
import { messageOf } from '../../../base/errors.ts';
import type { Reading, RolloutFile } from '../../../lab/contract/rollouts.ts';
import { CopyButton } from '../../kit/CopyButton.tsx';
import { fileStem, saveFile } from '../../kit/page/save-file.ts';
import { rollouts } from './store/api.ts';

const FILES: readonly [RolloutFile, string, string][] = [
  ['jsonl', 'JSONL', 'The record as Forage reads it, one line'],
  ['markdown', 'Markdown', 'Rounds, scores and findings for a report or an issue'],
  ['html', 'HTML', 'One file that opens anywhere, without scripts or network'],
];

const ENDINGS: Record<RolloutFile, string> = { jsonl: 'jsonl', markdown: 'md', html: 'html' };

/** Permalink, and exports of the rollout. */
export const Share = ({ reading }: { reading: Reading }) => {
  const [said, setSaid] = useState('');
  const { file, row } = reading;
  const save = async (format: RolloutFile) => {
    setSaid('writing …');
    try {
      const blob = await rollouts().rolloutFile(file.id, row, format);
      saveFile(`${fileStem(row.row.id).slice(0, 80)}.${ENDINGS[format]}`, blob);
      setSaid('');
    } catch (error) {
      setSaid(`not written: ${messageOf(error)}`);
    }
  };
  return (
    <span className="share">
      <CopyButton label="copy link" text={() => location.href} />
      <span className="fine">save as</span>
      {FILES.map(([format, name, title]) => (
        <button
          key={format}
          type="button"
          className="link"
          title={title}
          onClick={() => void save(format)}
        >
          {name}
        </button>
      ))}
      <span className="fine" role="status">
        {said}
      </span>
    </span>
  );
};
