import type {
  SiblingValues,
  TreeNode,
  TreeStep,
} from '../../../evaluate/rollouts/siblings/tree.ts';
import { answerText } from '../../../records/outside-answer.ts';
import { signedBy } from '../../../evaluate/rollouts/basis.ts';
import { DASH } from '../words/format.ts';
import type { Sibling } from './sibling.ts';
import { BASIS_WORDS, stepWords, valueWords } from './tree-words.ts';

interface TableProps {
  roots: readonly TreeNode[];
  siblings: readonly Sibling[];
  values: SiblingValues;
  open: (sibling: number, step: TreeStep) => void;
}

/** The first node that only this sibling has; null if another sibling is identical. */
function partsAt(nodes: readonly TreeNode[], member: number): TreeNode | null {
  const node = nodes.find(({ members }) => members.includes(member));
  if (!node) return null;
  return node.members.length === 1 ? node : partsAt(node.children, member);
}

/** The siblings with what they share and where they diverge. */
export const SiblingTable = ({ roots, siblings, values, open }: TableProps) => (
  <table className="sibling-table">
    <thead>
      <tr>
        {[
          'rollout',
          'answer',
          'EM',
          values.basis === null ? 'value' : BASIS_WORDS[values.basis],
          'differs at',
        ].map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {siblings.map((sibling, i) => {
        const { rollout, name, em, fork } = sibling;
        const parts = partsAt(roots, i);
        const words = parts && stepWords(rollout, parts.step);
        return (
          <tr key={i}>
            <th scope="row">
              {name}
              {fork === undefined ? null : <span className="fine"> {fork}</span>}
            </th>
            <td>
              {answerText(rollout)}
              {rollout.question.answers.length > 0 ? (
                <span className="fine"> gold {rollout.question.answers.join(' / ')}</span>
              ) : null}
            </td>
            <td>{em === null ? DASH : signedBy(em === 1, 'em')}</td>
            <td className="figure">
              {values.basis === null ? DASH : valueWords(values.values[i] ?? null)}
            </td>
            <td>
              {parts && words ? (
                <button type="button" className="link" onClick={() => open(i, parts.step)}>
                  {parts.step.of === 'event' ? 'event' : 'part'} {parts.step.at + 1}, {words.name}
                </button>
              ) : (
                'same as another'
              )}{' '}
              <span className="fine">{words?.line.slice(0, 120)}</span>
            </td>
          </tr>
        );
      })}
    </tbody>
  </table>
);
